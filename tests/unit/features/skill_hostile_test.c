/* skill_hostile_test.c - folders that want to serve what they must not */
#include "skill_common.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/codec.h"
#include "features/skill_file.h"
#include "features/skill_report.h"
#include "features/skill_scan.h"

static const char secret[] = "SECRET-THAT-NOBODY-MAY-SEE";

/* No file of the index holds the secret, and every digest fits. */
static void expect_no_secret(void)
{
    size_t count;
    const struct mcp_skill_file *f = mcp_skill_index_files(skill_index, &count);
    unsigned char raw[MCP_SHA256_BYTES];
    struct mcp_buf hex;

    mcp_buf_init(&hex, 1 << 10);
    for (size_t i = 0; i < count; i++) {
        assert_null(memmem(f[i].bytes, f[i].len, secret, strlen(secret)));
        assert_int_equal(mcp_sha256(f[i].bytes, f[i].len, raw), MCP_OK);
        mcp_buf_clear(&hex);
        mcp_hex_write(&hex, raw, sizeof(raw));
        assert_memory_equal(f[i].digest + 7, hex.data, 64);
    }
    mcp_buf_free(&hex);
}

/* The skills are in skills/, the secrets beside it. */
static void load_skills(void)
{
    struct mcp_skill_folder folder = {skill_disk("skills"), NULL};

    skill_load_with(
        &(struct mcp_skill_options){.folders = &folder, .folder_count = 1});
    expect_no_secret();
}

static void make_link(const char *to, const char *path)
{
    assert_int_equal(symlink(to, skill_disk(path)), 0);
}

/* ---- links ---- */

static void links_are_not_followed(void **state)
{
    (void)state;
    skill_put("secret.md", secret);
    skill_put("outside/SKILL.md",
              "---\nname: outside\ndescription: SECRET-THAT-NOBODY-MAY-SEE\n"
              "---\n");
    skill_make("skills/a");
    skill_put("skills/a/own.md", "own");
    make_link("../../secret.md", "skills/a/file.md");
    make_link("../../outside", "skills/a/folder");
    make_link("own.md", "skills/a/inner.md");
    make_link("/etc/passwd", "skills/a/passwd");
    make_link("/proc/self/environ", "skills/a/environ");
    make_link("nowhere", "skills/a/dangling");
    make_link("loop", "skills/a/loop");
    make_link(".", "skills/a/self");
    make_link("../outside", "skills/outside");
    load_skills();
    assert_int_equal(skill_count(), 1);
    assert_int_equal(skill_get("a")->file_count, 2);
    skill_expect(MCP_SKILL_WARNING, "a/file.md", 0, "a symbolic link");
    skill_expect(MCP_SKILL_WARNING, "a/folder", 0, "a symbolic link");
    skill_expect(MCP_SKILL_WARNING, "a/inner.md", 0, "a symbolic link");
    skill_expect(MCP_SKILL_WARNING, "a/self", 0, "a symbolic link");
    skill_expect(MCP_SKILL_WARNING, "skills/outside", 0, "a symbolic link");
    assert_int_equal(skill_reports(MCP_SKILL_WARNING), 9);
    assert_false(skill_has_file("skill://a/../../secret.md"));
    assert_false(skill_has_file("skill://a/file.md"));
    assert_false(skill_has_file("skill://a/folder/SKILL.md"));
}

static void a_skill_md_that_is_a_link_makes_no_skill(void **state)
{
    (void)state;
    skill_put("real.md", "---\nname: a\ndescription: SECRET-THAT-NOBODY-MAY-SEE"
                         "\n---\n");
    skill_put("skills/a/other.md", "other");
    make_link("../../real.md", "skills/a/SKILL.md");
    skill_make("skills/a/inner");
    skill_make("skills/b");
    load_skills();
    assert_int_equal(skill_count(), 2);
    (void)skill_get("b");
    (void)skill_get("a/inner");
    skill_expect(MCP_SKILL_ERROR, "a/SKILL.md", 0, "no regular file");
    assert_false(skill_has_file("skill://a/other.md"));
}

static void dotfiles_are_not_served(void **state)
{
    (void)state;
    skill_make("skills/a");
    skill_put("skills/a/.env", secret);
    skill_put("skills/a/.git/config", secret);
    skill_put("skills/a/x/.y", secret);
    skill_make("skills/.hidden");
    load_skills();
    assert_int_equal(skill_count(), 1);
    assert_int_equal(skill_get("a")->file_count, 1);
    skill_expect(MCP_SKILL_NOTE, "a/.env", 0, "begins with a dot");
    skill_expect(MCP_SKILL_NOTE, "a/.git", 0, "begins with a dot");
    skill_expect(MCP_SKILL_NOTE, "x/.y", 0, "begins with a dot");
    skill_expect(MCP_SKILL_NOTE, "skills/.hidden", 0, "begins with a dot");
    assert_int_equal(skill_reports(MCP_SKILL_NOTE), 4);
    assert_false(skill_has_file("skill://a/.env"));
    assert_false(skill_has_file("skill://a/%2eenv"));
    assert_false(skill_has_folder("skill://a/x"));
}

static void pipes_sockets_and_devices_are_left_out(void **state)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    size_t others = 2;

    (void)state;
    skill_make("skills/a");
    assert_int_equal(mkfifo(skill_disk("skills/a/pipe"), 0600), 0);
    snprintf(address.sun_path, sizeof(address.sun_path), "%s",
             skill_disk("skills/a/socket"));
    assert_int_equal(bind(fd, (void *)&address, sizeof(address)), 0);
    /* only a privileged process can make one */
    if (mknod(skill_disk("skills/a/zero"), S_IFCHR | 0600, makedev(1, 5)) == 0)
        others++;
    skill_put("skills/b/x.md", "x");
    assert_int_equal(mkfifo(skill_disk("skills/b/SKILL.md"), 0600), 0);
    load_skills(); /* would hang on a pipe that nobody writes to */
    assert_int_equal(skill_count(), 1);
    assert_int_equal(skill_get("a")->file_count, 1);
    skill_expect(MCP_SKILL_WARNING, "a/pipe", 0, "neither a file");
    skill_expect(MCP_SKILL_WARNING, "a/socket", 0, "neither a file");
    skill_expect(MCP_SKILL_ERROR, "b/SKILL.md", 0, "no regular file");
    assert_int_equal(skill_reports(MCP_SKILL_WARNING), others);
    (void)close(fd);
}

static void unreadable_files_spoil_their_skill_only(void **state)
{
    const bool root = geteuid() == 0; /* who can read everything */

    (void)state;
    skill_make("skills/a");
    skill_put("skills/a/x.md", "x");
    skill_make("skills/b");
    skill_put("skills/b/d/x.md", "x");
    skill_make("skills/c");
    assert_int_equal(chmod(skill_folder, 0755), 0);
    assert_int_equal(chmod(skill_disk("skills/a/x.md"), 0), 0);
    assert_int_equal(chmod(skill_disk("skills/b/d"), 0), 0);
    assert_int_equal(root ? seteuid(65534) : 0, 0);
    load_skills();
    assert_int_equal(root ? seteuid(0) : 0, 0);
    assert_int_equal(chmod(skill_disk("skills/b/d"), 0755), 0);
    assert_int_equal(skill_count(), 1);
    (void)skill_get("c");
    skill_expect(MCP_SKILL_ERROR, "a/x.md", 0, "Permission denied");
    skill_expect(MCP_SKILL_ERROR, "b/d", 0, "Permission denied");
}

static void names_that_no_uri_can_have_spoil_their_skill(void **state)
{
    char path[1200] = "skills/d";

    (void)state;
    skill_make("skills/a");
    skill_put("skills/a/\xff.md", "x");
    skill_make("skills/b");
    skill_put("skills/b/a\\b.md", "x");
    skill_make("skills/c");
    for (int i = 0; i < 15; i++)
        strcat(path, "/d");
    strcat(path, "/f");
    skill_make("skills/d");
    skill_put(path, "17 parts");
    skill_make("skills/e");
    skill_put("skills/e/1/2/3/4/5/6/7/8/9/10/11/12/13/14/16", "16 parts");
    load_skills();
    assert_int_equal(skill_count(), 2);
    (void)skill_get("c");
    assert_int_equal(skill_get("e")->file_count, 2);
    skill_expect(MCP_SKILL_ERROR, "\xff.md", 0, "not UTF-8");
    skill_expect(MCP_SKILL_ERROR, "a\\b.md", 0, "a backslash");
    skill_expect(MCP_SKILL_ERROR, "d/d/f", 0, "more than 16 parts");
}

static void odd_names_are_served_encoded(void **state)
{
    (void)state;
    skill_make("skills/a");
    skill_put("skills/a/%2e%2e", "1");
    skill_put("skills/a/new\nline", "2");
    skill_put("skills/a/a?b#c", "3");
    skill_put("skills/a/...", "hidden");
    skill_put("skills/a/\"q\"", "4");
    load_skills();
    assert_true(skill_has_file("skill://a/%252e%252e"));
    assert_true(skill_has_file("skill://a/new%0Aline"));
    assert_true(skill_has_file("skill://a/a%3Fb%23c"));
    assert_true(skill_has_file("skill://a/%22q%22"));
    assert_int_equal(skill_get("a")->file_count, 5);
}

/* ---- limits ---- */

static void put_files(const char *skill, int count)
{
    char path[64];

    skill_make(skill);
    for (int i = 1; i < count; i++) {
        snprintf(path, sizeof(path), "%s/f%d", skill, i);
        skill_put(path, "x");
    }
}

static void a_skill_has_at_most_512_files(void **state)
{
    (void)state;
    put_files("skills/fits", 512);
    put_files("skills/more", 513);
    skill_make("skills/more/inner");
    load_skills();
    assert_int_equal(skill_count(), 2);
    assert_int_equal(skill_get("fits")->file_count, 512);
    assert_int_equal(skill_get("more/inner")->file_count, 1);
    skill_expect(MCP_SKILL_ERROR, "more/SKILL.md", 0, "514 files");
    assert_false(skill_has_file("skill://more/f1"));
}

static void a_skill_has_at_most_16_mib(void **state)
{
    const long all = 16L << 20;
    struct stat st;

    (void)state;
    skill_make("skills/fits");
    assert_int_equal(stat(skill_disk("skills/fits/SKILL.md"), &st), 0);
    skill_put_hole("skills/fits/x", all - st.st_size);
    skill_make("skills/more");
    skill_put_hole("skills/more/x", all - st.st_size + 1);
    skill_make("skills/huge");
    skill_put_hole("skills/huge/x", 17L << 20);
    skill_make("skills/vast");
    skill_put_hole("skills/vast/x", 1L << 40);
    load_skills();
    assert_int_equal(skill_count(), 1);
    assert_int_equal(skill_get("fits")->bytes, 16 << 20);
    skill_expect(MCP_SKILL_ERROR, "more/SKILL.md", 0, "16777217 bytes");
    skill_expect(MCP_SKILL_ERROR, "huge/SKILL.md", 0, "at most 16777216");
    skill_expect(MCP_SKILL_ERROR, "vast/SKILL.md", 0, "bytes; a skill has");
}

static void the_limits_can_be_set(void **state)
{
    struct mcp_skill_folder folder = {skill_folder, NULL};
    struct mcp_skill_options options = {.folders = &folder, .folder_count = 1};

    (void)state;
    put_files("a", 3); /* SKILL.md has 46 bytes */
    options.max_files = 3;
    options.max_bytes = 48;
    skill_load_with(&options);
    assert_int_equal(skill_count(), 1);
    options.max_files = 2;
    skill_load_with(&options);
    skill_expect(MCP_SKILL_ERROR, "a/SKILL.md", 0,
                 "3 files; a skill has at "
                 "most 2");
    options.max_files = 3;
    options.max_bytes = 47;
    skill_load_with(&options);
    skill_expect(MCP_SKILL_ERROR, "a/SKILL.md", 0,
                 "48 bytes; a skill has at "
                 "most 47");
}

static void all_skills_together_have_limits(void **state)
{
    struct mcp_skill_folder folder = {skill_folder, NULL};
    struct mcp_skill_options options = {.folders = &folder, .folder_count = 1};

    (void)state;
    skill_make("a"); /* 46 bytes each */
    skill_make("a/b");
    skill_make("c");
    options.max_skills = 3;
    options.all_bytes = 138;
    skill_load_with(&options);
    assert_int_equal(skill_count(), 3);
    options.max_skills = 2;
    skill_load_with(&options);
    assert_int_equal(skill_count(), 2);
    skill_expect(MCP_SKILL_ERROR, "c/SKILL.md", 0,
                 "3 skills of 138 bytes; at "
                 "most 2 and 138");
    options.max_skills = 3;
    options.all_bytes = 137;
    skill_load_with(&options);
    assert_int_equal(skill_count(), 2);
    skill_expect(MCP_SKILL_ERROR, "c/SKILL.md", 0, "at most 3 and 137");
    assert_false(mcp_skill_index_is_stale(skill_index));
}

static enum mcp_err scan_with(size_t max, struct mcp_skill_scan *scan)
{
    int fd = open(skill_folder, O_RDONLY | O_DIRECTORY);
    enum mcp_err err;

    assert_true(fd >= 0);
    scan->max_entries = max;
    err = mcp_skill_scan_run(fd, scan);
    (void)close(fd);
    return err;
}

static void a_folder_is_listed_up_to_a_limit(void **state)
{
    struct mcp_arena *arena = mcp_arena_new(1 << 20);

    (void)state;
    skill_put("a", "1");
    skill_put("b/c", "2");
    skill_put("b/.d", "3");
    for (size_t max = 2; max <= 3; max++) {
        struct mcp_skill_scan scan = {.arena = arena};

        assert_int_equal(scan_with(max, &scan), max == 3 ? MCP_OK : MCP_ELIMIT);
        if (max == 3) {
            assert_int_equal(scan.count, 3);
            assert_string_equal(scan.items[0].path, "a");
            assert_string_equal(scan.items[1].path, "b/.d");
            assert_int_equal(scan.items[1].kind, MCP_SKILL_ENTRY_HIDDEN);
            assert_string_equal(scan.items[2].path, "b/c");
            assert_int_equal(scan.items[2].size, 1);
            assert_int_equal(scan.folder_count, 2);
        }
        mcp_skill_scan_free(&scan);
    }
    mcp_arena_free(arena);
}

static void folders_are_listed_up_to_a_limit_too(void **state)
{
    struct mcp_arena *arena = mcp_arena_new(1 << 20);

    (void)state;
    assert_int_equal(mkdir(skill_disk("a"), 0755), 0);
    assert_int_equal(mkdir(skill_disk("b"), 0755), 0);
    for (size_t max = 2; max <= 3; max++) {
        struct mcp_skill_scan scan = {.arena = arena};

        assert_int_equal(scan_with(max, &scan), max == 3 ? MCP_OK : MCP_ELIMIT);
        mcp_skill_scan_free(&scan);
    }
    mcp_arena_free(arena);
}

static void many_warnings_hide_no_error(void **state)
{
    struct mcp_skill_reports r = {.arena = mcp_arena_new(64 << 20)};

    (void)state;
    for (size_t i = 0; i <= MCP_SKILL_MAX_REPORTS; i++)
        mcp_skill_report_add(&r, MCP_SKILL_NOTE, "file", 0, "x", "%zu", i);
    assert_int_equal(r.count, MCP_SKILL_MAX_REPORTS);
    mcp_skill_report_add(&r, MCP_SKILL_WARNING, "file", 0, "x", "w");
    mcp_skill_report_add(&r, MCP_SKILL_ERROR, "file", 0, "x", "e1");
    mcp_skill_report_add(&r, MCP_SKILL_ERROR, "file", 0, "x", "e2");
    mcp_skill_reports_sort(&r);
    assert_false(r.failed);
    assert_int_equal(r.count, MCP_SKILL_MAX_REPORTS + 2);
    assert_string_equal(r.items[0].reason, "e1");
    assert_string_equal(r.items[1].reason, "e2");
    assert_string_equal(r.items[2].reason, "0");
    mcp_arena_free(r.arena);
    mcp_skill_reports_free(&r);
}

static void bombs_and_binaries_are_refused(void **state)
{
    char bomb[4096] =
        "---\nname: bomb\ndescription: d\na: &a [x,x,x,x,x,x,x]\n";

    (void)state;
    for (char c = 'b'; c < 'p'; c++) {
        char line[64];

        snprintf(line, sizeof(line), "%c: &%c [*%c,*%c,*%c,*%c,*%c]\n", c, c,
                 c - 1, c - 1, c - 1, c - 1, c - 1);
        strcat(bomb, line);
    }
    strcat(bomb, "---\n");
    skill_put("skills/bomb/SKILL.md", bomb);
    skill_put_n("skills/elf/SKILL.md",
                "\x7f"
                "ELF\0\0\0\0",
                8);
    skill_put_n("skills/nul/SKILL.md",
                "---\nname: nul\0\ndescription: d\n---\n", 35);
    skill_put_hole("skills/zeros/SKILL.md", 100000);
    skill_make("skills/good");
    load_skills();
    assert_int_equal(skill_count(), 1);
    skill_expect(MCP_SKILL_ERROR, "bomb/SKILL.md", -1, "more than 10000");
    skill_expect(MCP_SKILL_ERROR, "elf/SKILL.md", 1, "first line");
    skill_expect(MCP_SKILL_ERROR, "nul/SKILL.md", 2, "U+0000");
    skill_expect(MCP_SKILL_ERROR, "zeros/SKILL.md", 1, "first line");
}

/* ---- opening and reading ---- */

static void expect_open(const char *path, int why)
{
    int root = open(skill_folder, O_RDONLY | O_DIRECTORY);

    assert_true(root >= 0);
    for (int how = MCP_SKILL_OPEN_BEST; how <= MCP_SKILL_OPEN_PARTS; how++) {
        int fd = mcp_skill_file_open(root, path, (enum mcp_skill_open)how);

        if (why == 0)
            assert_true(fd >= 0);
        else if (fd >= 0)
            fail_msg("%s can be opened, way %d", path, how);
        else if (errno != why)
            fail_msg("%s: %s, way %d", path, strerror(errno), how);
        if (fd >= 0)
            (void)close(fd);
    }
    (void)close(root);
}

static void only_what_lies_below_can_be_opened(void **state)
{
    char name[257] = "";

    (void)state;
    skill_put("a/b/c.md", "c");
    make_link("b", "a/link");
    make_link("b/c.md", "a/file");
    assert_int_equal(mkfifo(skill_disk("a/pipe"), 0600), 0);
    expect_open("a/b/c.md", 0);
    expect_open("a/link/c.md", ELOOP);
    expect_open("a/file", ELOOP);
    expect_open("a/pipe", EINVAL);
    expect_open("a/b", EINVAL);
    expect_open("a/none", ENOENT);
    expect_open("none/c.md", ENOENT);
    memset(name, 'x', 255);
    expect_open(name, ENOENT);
    name[255] = 'x';
    expect_open(name, ENAMETOOLONG);
    expect_open("../etc/passwd", EXDEV);
    expect_open("a/../../etc/passwd", EXDEV);
}

static atomic_bool stop;

/* Puts a link to the secret in the place of a file, and back, on and on. */
static void *swap_links(void *user)
{
    char file[128], other[128];

    (void)user;
    snprintf(file, sizeof(file), "%s/skills/a/x.md", skill_folder);
    snprintf(other, sizeof(other), "%s/link", skill_folder);
    while (!atomic_load(&stop)) {
        /* exchanges the two in one step */
        (void)renameat2(AT_FDCWD, file, AT_FDCWD, other, 2);
    }
    return NULL;
}

/* The same with a folder. */
static void *swap_folders(void *user)
{
    char folder[128], other[128];

    (void)user;
    snprintf(folder, sizeof(folder), "%s/skills/a/d", skill_folder);
    snprintf(other, sizeof(other), "%s/dirlink", skill_folder);
    while (!atomic_load(&stop))
        (void)renameat2(AT_FDCWD, folder, AT_FDCWD, other, 2);
    return NULL;
}

/* Opens the file both ways, over and over; what is read is never the secret. */
static unsigned open_often(const char *path, int times)
{
    int root = open(skill_disk("skills"), O_RDONLY | O_DIRECTORY);
    struct mcp_buf b;
    unsigned good = 0;

    mcp_buf_init(&b, 1 << 10);
    for (int i = 0; i < times; i++) {
        int fd = mcp_skill_file_open(root, path, (enum mcp_skill_open)(i % 2));
        enum mcp_err err;

        mcp_buf_clear(&b);
        if (fd < 0)
            continue;
        err = mcp_skill_file_read(fd, 100, &b);
        (void)close(fd);
        if (err == MCP_EBUSY) /* a rename is a change */
            continue;
        assert_int_equal(err, MCP_OK);
        assert_int_equal(b.len, 4);
        assert_memory_equal(b.data, "good", 4);
        good++;
    }
    mcp_buf_free(&b);
    (void)close(root);
    return good;
}

static void a_link_that_is_swapped_in_is_never_followed(void **state)
{
    pthread_t threads[2];
    unsigned good = 0;

    (void)state;
    skill_make("skills/a");
    skill_put("skills/a/x.md", "good");
    skill_put("skills/a/d/y.md", "good");
    skill_put("secret.md", secret);
    skill_put("outside/y.md", secret);
    make_link("secret.md", "link");
    make_link("outside", "dirlink");
    atomic_store(&stop, false);
    assert_int_equal(pthread_create(&threads[0], NULL, swap_links, NULL), 0);
    assert_int_equal(pthread_create(&threads[1], NULL, swap_folders, NULL), 0);
    for (int i = 0; i < 150; i++) {
        load_skills();
        good += open_often("a/x.md", 100) + open_often("a/d/y.md", 100);
    }
    atomic_store(&stop, true);
    (void)pthread_join(threads[0], NULL);
    (void)pthread_join(threads[1], NULL);
    print_message("read in spite of the swaps: %u of 30000\n", good);
    assert_true(good > 0 && good < 30000);
}

enum { BUSY_BYTES = 15 << 20 };

/* Writes over the file, on and on. */
static void *write_over(void *user)
{
    char bytes[4096];
    int fd = *(int *)user;

    for (unsigned turn = 0; !atomic_load(&stop); turn++) {
        memset(bytes, 'a' + (int)(turn % 26), sizeof(bytes));
        (void)!pwrite(fd, bytes, sizeof(bytes),
                      turn * (off_t)sizeof(bytes) % BUSY_BYTES);
    }
    return NULL;
}

static void a_file_that_changes_is_reported(void **state)
{
    pthread_t thread;
    int fd, refused = 0;

    (void)state;
    skill_make("skills/a");
    skill_make("skills/b");
    skill_put_hole("skills/a/x", BUSY_BYTES);
    fd = open(skill_disk("skills/a/x"), O_WRONLY);
    assert_true(fd >= 0);
    atomic_store(&stop, false);
    assert_int_equal(pthread_create(&thread, NULL, write_over, &fd), 0);
    for (time_t end = time(NULL) + 20; refused < 1 && time(NULL) < end;) {
        load_skills(); /* compares the digests with what is served */
        (void)skill_get("b");
        if (skill_count() == 2)
            continue;
        skill_expect(MCP_SKILL_ERROR, "a/x", 0, "it changed each time");
        refused++;
    }
    atomic_store(&stop, true);
    (void)pthread_join(thread, NULL);
    (void)close(fd);
    assert_int_equal(refused, 1);
    load_skills();
    assert_int_equal(skill_count(), 2); /* at rest it is served */
}

static void a_file_of_another_size_than_it_says_is_refused(void **state)
{
    int fd = open("/proc/self/status", O_RDONLY); /* says that it is empty */
    struct mcp_buf b;

    (void)state;
    assert_true(fd >= 0);
    mcp_buf_init(&b, 1 << 10);
    assert_int_equal(mcp_skill_file_read(fd, 1000, &b), MCP_EBUSY);
    assert_int_equal(b.len, 0);
    mcp_buf_free(&b);
    (void)close(fd);
}

static void a_file_that_is_larger_than_it_may_is_not_read(void **state)
{
    struct mcp_buf b;
    int fd;

    (void)state;
    skill_put_hole("x", 100);
    fd = open(skill_disk("x"), O_RDONLY);
    mcp_buf_init(&b, 1 << 10);
    assert_int_equal(mcp_skill_file_read(fd, 99, &b), MCP_ELIMIT);
    assert_int_equal(b.len, 0);
    assert_int_equal(mcp_skill_file_read(fd, 100, &b), MCP_OK);
    assert_int_equal(b.len, 100);
    mcp_buf_free(&b);
    (void)close(fd);
}

#define SKILL_TEST(f)                                                          \
    cmocka_unit_test_setup_teardown(f, skill_set_up, skill_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKILL_TEST(links_are_not_followed),
        SKILL_TEST(a_skill_md_that_is_a_link_makes_no_skill),
        SKILL_TEST(dotfiles_are_not_served),
        SKILL_TEST(pipes_sockets_and_devices_are_left_out),
        SKILL_TEST(unreadable_files_spoil_their_skill_only),
        SKILL_TEST(names_that_no_uri_can_have_spoil_their_skill),
        SKILL_TEST(odd_names_are_served_encoded),
        SKILL_TEST(a_skill_has_at_most_512_files),
        SKILL_TEST(a_skill_has_at_most_16_mib),
        SKILL_TEST(the_limits_can_be_set),
        SKILL_TEST(all_skills_together_have_limits),
        SKILL_TEST(a_folder_is_listed_up_to_a_limit),
        SKILL_TEST(folders_are_listed_up_to_a_limit_too),
        SKILL_TEST(many_warnings_hide_no_error),
        SKILL_TEST(bombs_and_binaries_are_refused),
        SKILL_TEST(only_what_lies_below_can_be_opened),
        SKILL_TEST(a_link_that_is_swapped_in_is_never_followed),
        SKILL_TEST(a_file_that_changes_is_reported),
        SKILL_TEST(a_file_of_another_size_than_it_says_is_refused),
        SKILL_TEST(a_file_that_is_larger_than_it_may_is_not_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
