/*
 * isolation_test.c - what a call leaves behind, by the way states are renewed
 *
 * Apps of three sizes, each with images that are copied whole, images of which
 * only the written pages are put back, and fresh states. A call reads 1 MiB
 * from a file as its first act, so that the kernel, not Lua, is the first to
 * write, then writes all over its state. Kept states are held to their limits.
 */
#include "app/image.h"
#include "app_bench.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum { CALLS = 30, FILE_LEN = 1 << 20 };

static const unsigned sizes[] = {100 << 10, 600 << 10, 8 << 20};

static bool no_memfd;
static int memfds_refused;

/* Stands before the library's: without a memfd images are copied whole. */
int memfd_create(const char *name, unsigned flags)
{
    if (no_memfd) {
        __atomic_add_fetch(&memfds_refused, 1, __ATOMIC_RELAXED);
        errno = ENOSYS;
        return -1;
    }
    return (int)syscall(SYS_memfd_create, name, flags);
}

/* ---- images ---- */

static char *map(size_t len)
{
    char *at = mmap(NULL, len, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    size_t i;

    assert_ptr_not_equal(at, MAP_FAILED);
    for (i = 0; i < len; i++)
        at[i] = (char)(i * 7 + (i >> 12));
    return at;
}

/* Writes by hand and by the kernel, then puts back, several times. */
static void write_and_restore(struct mcp_image *img, char *at, size_t len)
{
    char *want = malloc(len);
    unsigned turn;
    FILE *zeros = fopen("/dev/zero", "r");

    assert_non_null(want);
    assert_non_null(zeros);
    memcpy(want, at, len);
    for (turn = 0; turn < 20; turn++) {
        size_t i;

        for (i = turn * 4096 / 3; i < len; i += 4096 * (turn + 3))
            at[i]++;
        at[len - 1 - turn]++;
        assert_int_equal(read(fileno(zeros), at + len / 3, 9000), 9000);
        mcp_image_restore(img, true);
        assert_memory_equal(at, want, len);
    }
    fclose(zeros);
    free(want);
}

static void images_come_back_at_every_size(void **unused)
{
    size_t i;
    int copy;

    (void)unused;
    for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        for (copy = 0; copy < 2; copy++) {
            size_t len = sizes[i];
            char *at = map(len);
            struct mcp_image *img = mcp_image_new(at, len, copy ? SIZE_MAX : 0);

            assert_non_null(img);
            assert_int_equal(mcp_image_uses_pages(img), !copy);
            write_and_restore(img, at, len);
            mcp_image_free(img);
            munmap(at, len);
        }
    }
}

static void the_size_chooses_the_way(void **unused)
{
    char *at = map(8192);
    struct mcp_image *img = mcp_image_new(at, 8192, 8193);

    (void)unused;
    assert_false(mcp_image_uses_pages(img));
    mcp_image_free(img);
    img = mcp_image_new(at, 8192, 8192);
    assert_true(mcp_image_uses_pages(img));
    mcp_image_free(img);
    munmap(at, 8192);
}

/* ---- apps ---- */

static const char app_source[] =
    "%s\n"
    "local mcp = require 'mcp'\n"
    "local cached = require 'cached'\n"
    "mcp.server { name = 'isolation', version = '1', isolation = '%s',\n"
    "  call_timeout = 20, memory_limit = '64 MiB' }\n"
    "local ballast, up = {}, 0\n"
    "while collectgarbage('count') * 1024 < %u do\n"
    "  ballast[#ballast + 1] = { #ballast, tostring(#ballast) }\n"
    "end\n"
    "local parked = coroutine.create(function()\n"
    "  local turn = 0\n"
    "  while true do coroutine.yield(turn) turn = turn + 1 end\n"
    "end)\n"
    "coroutine.resume(parked)\n"
    "mcp.tool('soil', function(args, ctx)\n"
    "  local f = assert(io.open('%s/big', 'rb'))\n"
    "  local bytes = f:read(2^20)\n"
    "  assert(#bytes == 2^20 and bytes:find('^x*$'))\n"
    "  local found = {}\n"
    "  local function clean(name, is)\n"
    "    if not is then found[#found + 1] = name end\n"
    "  end\n"
    "  clean('global', rawget(_G, 'leaked') == nil)\n"
    "  clean('upvalue', up == 0)\n"
    "  clean('string', rawget(string, 'leaked') == nil)\n"
    "  clean('loaded', package.loaded.leaked == nil)\n"
    "  clean('cache', cached('a') == 1 and cached('a') == 2)\n"
    "  clean('coroutine', select(2, coroutine.resume(parked)) == 1)\n"
    "  clean('left', rawget(_G, 'left') == nil)\n"
    "  for i = 1, #ballast do\n"
    "    local b = ballast[i]\n"
    "    if b[1] ~= i - 1 or b[2] ~= tostring(i - 1) then\n"
    "      clean('ballast', false) break\n"
    "    end\n"
    "  end\n"
    "  leaked, up, string.leaked = bytes, 1, true\n"
    "  package.loaded.leaked = {}\n"
    "  left = {}\n"
    "  for i = 1, 50 do\n"
    "    left[i] = coroutine.create(function() local x = { i }\n"
    "      coroutine.yield(x) end)\n"
    "    coroutine.resume(left[i])\n"
    "  end\n"
    "  for i = args.at or 1, #ballast, 29 do\n"
    "    ballast[i][1] = -1 ballast[i][2] = nil ballast[i].new = {}\n"
    "  end\n"
    "  collectgarbage()\n"
    "  return table.concat(found, ' ') .. '.'\n"
    "end)\n"
    "mcp.tool('spin', { timeout = 0.2 }, function() while true do end end)\n"
    "mcp.tool('grow', function() local t = {}\n"
    "  while true do t[#t + 1] = ('x'):rep(1e5) .. #t end end)\n"
    "mcp.tool('ok', function() return 'fine' end)\n";

static void open_app(struct bench *b, const char *first, const char *isolation,
                     unsigned size)
{
    char source[8192], *big = malloc(FILE_LEN + 1);

    assert_non_null(big);
    memset(big, 'x', FILE_LEN);
    big[FILE_LEN] = 0;
    bench_make(b);
    write_file(b, "big", big);
    free(big);
    write_file(b, "cached.lua",
               "local kept = {} return function(k)"
               " kept[k] = (kept[k] or 0) + 1 return kept[k] end");
    snprintf(source, sizeof(source), app_source, first, isolation, size,
             b->folder);
    bench_open(b, source);
    if (b->err != MCP_OK)
        fail_msg("%s", b->message);
}

static void soil(struct bench *b)
{
    char args[32];
    int i;

    for (i = 0; i < CALLS; i++) {
        snprintf(args, sizeof(args), "{\"at\":%d}", i % 29 + 1);
        expect(b, "soil", args, false, "\"text\":\".\"");
        if (i % 15 == 5)
            expect(b, "spin", "{}", true, "longer than");
        if (i % 15 == 8)
            expect(b, "grow", "{}", true, "out of memory");
    }
}

static void calls_see_nothing(const char *first, const char *mode)
{
    size_t i;

    for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct bench b;
        bool fresh;

        open_app(&b, first, "request", sizes[i]);
        fresh = strstr(mcp_app_isolation(b.app), "fresh") != NULL;
        assert_int_equal(fresh, strcmp(mode, "fresh") == 0);
        soil(&b);
        bench_close(&b);
    }
}

static void with_images_copied_whole(void **unused)
{
    (void)unused;
    no_memfd = true;
    calls_see_nothing("", "image");
    no_memfd = false;
    assert_true(memfds_refused >= 3);
}

static void with_written_pages(void **unused)
{
    (void)unused;
    calls_see_nothing("", "image");
}

static void with_fresh_states(void **unused)
{
    (void)unused;
    calls_see_nothing("local ffi = require 'ffi'", "fresh");
}

/* Kept states remember; time and memory of a call are limited all the same. */
static void kept_states_have_limits(void **unused)
{
    size_t i;

    (void)unused;
    for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct bench b;
        int n;

        open_app(&b, "", "worker", sizes[i]);
        for (n = 0; n < 3; n++) {
            expect(&b, "spin", "{}", true, "longer than");
            expect(&b, "ok", "{}", false, "fine");
            expect(&b, "grow", "{}", true, "out of memory");
            expect(&b, "ok", "{}", false, "fine");
        }
        bench_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(images_come_back_at_every_size),
        cmocka_unit_test(the_size_chooses_the_way),
        cmocka_unit_test(with_images_copied_whole),
        cmocka_unit_test(with_written_pages),
        cmocka_unit_test(with_fresh_states),
        cmocka_unit_test(kept_states_have_limits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
