/*
 * reload.c - from a save to the new generation, as --dev sees it
 *
 * An app of 100 tools with a module; the module is saved by renaming over it.
 * Exit 1 when the median is above MOST_MS: for an idle machine (issue: live).
 *
 * Prints a line: name, n, ns/op (the median), and the worst of all.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"
#include "base/clock.h"
#include "base/log.h"

enum { TURNS = 25, TOOLS = 100, MOST_MS = 200 };

static char folder[] = "/tmp/mcp-bench-XXXXXX";

static void die(const char *what)
{
    (void)fprintf(stderr, "reload: %s\n", what);
    exit(1);
}

static FILE *create(const char *name, char *path, size_t size)
{
    FILE *f;

    (void)snprintf(path, size, "%s/%s", folder, name);
    f = fopen(path, "w");
    if (f == NULL)
        die(path);
    return f;
}

static void write_app(char *path, size_t size)
{
    FILE *f = create("app.lua", path, size);
    int i;

    (void)fputs("local mcp, part = require 'mcp', require 'part'\n", f);
    for (i = 0; i < TOOLS; i++)
        (void)fprintf(f,
                      "mcp.tool('t%d', { description = 'a tool ' .. part },"
                      " function(text) return text end)\n",
                      i);
    (void)fclose(f);
}

/* Written beside the module, then renamed over it. */
static void save_part(int turn)
{
    char new[200], old[200];
    FILE *f = create("part.lua.new", new, sizeof(new));

    (void)fprintf(f, "return '%d'\n", turn);
    (void)fclose(f);
    (void)snprintf(old, sizeof(old), "%s/part.lua", folder);
    if (rename(new, old) != 0)
        die("rename");
}

static bool is_new(struct mcp_app *app, const char *description)
{
    const struct mcp_generation *gen = mcp_app_acquire(app);
    const struct mcp_tool *tool = mcp_generation_find_tool(gen, "t0", 2);
    bool yes = tool != NULL && strcmp(tool->description, description) == 0;

    mcp_generation_release(gen);
    return yes;
}

static double one_save(struct mcp_app *app, int turn)
{
    char description[40];
    uint64_t begin = mcp_clock_now_ns();

    (void)snprintf(description, sizeof(description), "a tool %d", turn);
    save_part(turn);
    while (!is_new(app, description)) {
        (void)usleep(500);
        if (mcp_clock_now_ns() - begin > 10 * MCP_NS_PER_S)
            die("the new app did not come");
    }
    return (double)(mcp_clock_now_ns() - begin);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void remove_folder(void)
{
    static const char *const names[] = {"/app.lua", "/part.lua", ""};
    char path[200];
    size_t i;

    for (i = 0; i < 3; i++) {
        (void)snprintf(path, sizeof(path), "%s%s", folder, names[i]);
        (void)remove(path);
    }
}

int main(void)
{
    char path[200], message[512];
    struct mcp_config *config = mcp_config_new();
    struct mcp_app_options options = {
        .path = path, .config = config, .watch = true};
    struct mcp_app *app = NULL;
    double took[TURNS];
    int i;

    if (config == NULL || mkdtemp(folder) == NULL)
        die("no folder");
    mcp_log_setup(MCP_LOG_OFF, false);
    save_part(0);
    write_app(path, sizeof(path));
    if (mcp_app_open(&options, &app, message, sizeof(message)) != MCP_OK)
        die(message);
    for (i = 0; i < TURNS; i++)
        took[i] = one_save(app, i + 1);
    mcp_app_close(app);
    mcp_config_free(config);
    remove_folder();
    qsort(took, TURNS, sizeof(took[0]), by_value);
    (void)printf("reload save-to-serve n=%d %.0f ns/op worst=%.0f ns\n", TURNS,
                 took[TURNS / 2], took[TURNS - 1]);
    if (took[TURNS / 2] > MOST_MS * 1e6)
        die("slower than it may be");
    return 0;
}
