/* SPDX-License-Identifier: MIT
 * Counts the calls of the C library that change a disk, whoever makes them (Python, SQLite, polars),
 * and ends the process at one of them, or lets a full disk answer from one of them on.
 * What is written to stdout and stderr does not count. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum { NOTHING, DIE, DIE_AFTER, FULL_ONCE, FULL };
static long at = 0, count = 0;
static int deed = NOTHING;

void fault_at(long number, int what) { at = number; count = 0; deed = what; }
long fault_count(void) { return count; }

static void die(void) { kill(getpid(), SIGKILL); }

/* Count a call; whether a full disk answers it. */
static int full(int takes_room)
{
    if (deed == NOTHING) return 0;
    count++;
    if (deed == DIE && count == at) die();
    if (takes_room && ((deed == FULL && count >= at) || (deed == FULL_ONCE && count == at))) {
        errno = ENOSPC;
        return 1;
    }
    return 0;
}

static void after(void) { if (deed == DIE_AFTER && count == at) die(); }

#define REAL(type, name, ...) ((type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name))
#define CALL(type, name, room, given, real)                 \
    type name given {                                       \
        if (full(room)) return -1;                          \
        type found = real;                                  \
        after();                                            \
        return found;                                       \
    }

ssize_t write(int fd, const void *data, size_t size)
{
    if (fd > 2 && full(1)) return -1;
    ssize_t found = REAL(ssize_t, write, int, const void *, size_t)(fd, data, size);
    if (fd > 2) after();
    return found;
}

CALL(ssize_t, pwrite64, 1, (int fd, const void *data, size_t size, off64_t place),
     REAL(ssize_t, pwrite64, int, const void *, size_t, off64_t)(fd, data, size, place))
CALL(ssize_t, pwrite, 1, (int fd, const void *data, size_t size, off_t place),
     REAL(ssize_t, pwrite, int, const void *, size_t, off_t)(fd, data, size, place))
CALL(int, fsync, 1, (int fd), REAL(int, fsync, int)(fd))
CALL(int, fdatasync, 1, (int fd), REAL(int, fdatasync, int)(fd))
CALL(int, ftruncate, 0, (int fd, off_t size), REAL(int, ftruncate, int, off_t)(fd, size))
CALL(int, ftruncate64, 0, (int fd, off64_t size), REAL(int, ftruncate64, int, off64_t)(fd, size))
CALL(int, rename, 0, (const char *a, const char *b),
     REAL(int, rename, const char *, const char *)(a, b))
CALL(int, unlink, 0, (const char *a), REAL(int, unlink, const char *)(a))
CALL(int, unlinkat, 0, (int fd, const char *a, int flags),
     REAL(int, unlinkat, int, const char *, int)(fd, a, flags))
CALL(int, rmdir, 0, (const char *a), REAL(int, rmdir, const char *)(a))
CALL(int, mkdir, 1, (const char *a, mode_t mode),
     REAL(int, mkdir, const char *, mode_t)(a, mode))
CALL(int, chmod, 0, (const char *a, mode_t mode),
     REAL(int, chmod, const char *, mode_t)(a, mode))
CALL(int, fchmod, 0, (int fd, mode_t mode), REAL(int, fchmod, int, mode_t)(fd, mode))

#define OPENING(name)                                                       \
    int name(const char *path, int flags, ...)                              \
    {                                                                       \
        mode_t mode = 0;                                                    \
        if (flags & (O_CREAT | O_TMPFILE)) {                                \
            va_list more;                                                   \
            va_start(more, flags);                                          \
            mode = va_arg(more, mode_t);                                    \
            va_end(more);                                                   \
        }                                                                   \
        if ((flags & O_CREAT) && full(1)) return -1;                        \
        int found = REAL(int, name, const char *, int, ...)(path, flags, mode); \
        if (flags & O_CREAT) after();                                       \
        return found;                                                       \
    }
OPENING(open)
OPENING(open64)
