/*
 * skills.c - how long the skills of an app take to load
 *
 * 1 000 skills of five files each, 20 KiB a skill, are written to a folder and
 * read: listing, reading, SHA-256, front matter, entries, folders. The files
 * are in the page cache, as they are when they were just written. Exit 1 when
 * it takes a second or more (issue 8).
 *
 * Prints, a line each: name, n, ns/op, bytes/op; op: a skill.
 */
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "features/skill_index.h"

enum { SKILLS = 1000, FILES = 4, FILE_BYTES = 4 << 10, ROUNDS = 5 };

static char folder[] = "/tmp/bench-skills-XXXXXX";

static void die(const char *what)
{
    (void)fprintf(stderr, "skills: %s\n", what);
    exit(1);
}

static double now_ns(clockid_t clock)
{
    struct timespec t;

    (void)clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void put(const char *path, const char *text, size_t len)
{
    FILE *f = fopen(path, "wb");

    if (f == NULL || fwrite(text, 1, len, f) != len || fclose(f) != 0)
        die("cannot write");
}

static void make_folder(const char *path)
{
    if (mkdir(path, 0755) != 0)
        die("cannot make a folder");
}

static void make_skill(int i)
{
    char path[128], text[FILE_BYTES];
    int n;

    (void)snprintf(path, sizeof(path), "%s/skill-%d", folder, i);
    make_folder(path);
    (void)snprintf(path, sizeof(path), "%s/skill-%d/references", folder, i);
    make_folder(path);
    memset(text, 'x', sizeof(text));
    n = snprintf(text, sizeof(text),
                 "---\nname: skill-%d\ndescription: Does the work number %d. "
                 "Use it when that is asked for.\nlicense: MIT\nmetadata:\n"
                 "  author: someone\n  version: \"1.%d\"\n---\n\n# Work\n\n",
                 i, i, i);
    text[n] = 'x';
    (void)snprintf(path, sizeof(path), "%s/skill-%d/SKILL.md", folder, i);
    put(path, text, sizeof(text));
    for (int k = 0; k < FILES; k++) {
        (void)snprintf(path, sizeof(path), "%s/skill-%d/references/%d.md",
                       folder, i, k);
        put(path, text, sizeof(text));
    }
}

static int remove_one(const char *path, const struct stat *st, int kind,
                      struct FTW *ftw)
{
    (void)st;
    (void)kind;
    (void)ftw;
    return remove(path);
}

/* Loads them once; the nanoseconds it took, and how many of them this process
 * had a processor. */
static double load(uint64_t *bytes, double *busy)
{
    struct mcp_skill_folder f = {folder, NULL};
    struct mcp_skill_options options = {.folders = &f, .folder_count = 1};
    double start = now_ns(CLOCK_MONOTONIC), took;
    double busy_start = now_ns(CLOCK_PROCESS_CPUTIME_ID);
    struct mcp_skill_index *index;
    const struct mcp_skill *skills;
    size_t count;

    if (mcp_skill_index_open(&options, &index) != MCP_OK)
        die("out of memory");
    took = now_ns(CLOCK_MONOTONIC) - start;
    *busy = now_ns(CLOCK_PROCESS_CPUTIME_ID) - busy_start;
    skills = mcp_skill_index_skills(index, &count);
    if (count != SKILLS)
        die("skills are missing");
    *bytes = 0;
    for (size_t i = 0; i < count; i++)
        *bytes += skills[i].bytes;
    mcp_skill_index_free(index);
    return took;
}

int main(void)
{
    double best = 1e18, least = 1e18, took, busy;
    uint64_t bytes;

    if (mkdtemp(folder) == NULL)
        die("cannot make a folder");
    for (int i = 0; i < SKILLS; i++)
        make_skill(i);
    for (int i = 0; i < ROUNDS; i++) {
        took = load(&bytes, &busy);
        best = took < best ? took : best;
        least = busy < least ? busy : least;
    }
    (void)nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    (void)printf("skills load n=%d %.0f ns/op %" PRIu64 " bytes/op; all in "
                 "%.0f ms, %.0f ms of a processor\n",
                 SKILLS, best / SKILLS, bytes / SKILLS, best / 1e6,
                 least / 1e6);
    return best < 1e9 ? 0 : 1;
}
