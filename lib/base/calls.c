/* System calls that no program needs which reads outside input. */
#include "base/calls.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__NR_clone3) && __has_include(<linux/seccomp.h>)
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#endif

#ifndef SECCOMP_SET_MODE_FILTER
#elif defined(__x86_64__) && !defined(__ILP32__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && defined(__AARCH64EL__)
#define MACHINE AUDIT_ARCH_AARCH64
#elif defined(__s390x__)
#define MACHINE AUDIT_ARCH_S390X
#elif defined(__riscv) && __riscv_xlen == 64
#define MACHINE AUDIT_ARCH_RISCV64
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define MACHINE AUDIT_ARCH_PPC64LE
#endif

#ifdef MACHINE

enum {
	MOST_CALLS = 80,
	MOST_STEPS = 2 * MOST_CALLS + 1,
	STARTING = 7 /* what put_starting puts */
};

#define LOAD (BPF_LD | BPF_W | BPF_ABS)

/* For children; not every machine has the older of them. */
static const int starting[] = {
#ifdef __NR_fork
	__NR_fork,
	__NR_vfork,
#endif
	__NR_kill,
};

static const int refused[] = {
	__NR_socket,
	__NR_socketpair,
	__NR_connect,
	__NR_bind,
	__NR_listen,
#ifdef __NR_accept
	__NR_accept,
#endif
	__NR_sendto,
	__NR_sendmsg,
	__NR_recvfrom,
	__NR_recvmsg,
	__NR_shutdown,
	__NR_getsockname,
	__NR_getpeername,
	__NR_setsockopt,
	__NR_getsockopt,
	__NR_execve,
	__NR_execveat,
	__NR_ptrace,
	__NR_process_vm_readv,
	__NR_process_vm_writev,
	__NR_kcmp,
	__NR_truncate,
#ifdef __NR_chmod
	__NR_chmod,
#endif
	__NR_fchmodat,
	__NR_unshare,
	__NR_bpf,
	__NR_userfaultfd,
	__NR_perf_event_open,
	__NR_add_key,
	__NR_request_key,
	__NR_keyctl,
#ifdef __NR_io_uring_setup
	__NR_pidfd_send_signal,
	__NR_io_uring_setup,
	__NR_io_uring_enter,
	__NR_io_uring_register,
	__NR_open_tree,
	__NR_move_mount,
	__NR_fsopen,
	__NR_fsconfig,
	__NR_fsmount,
	__NR_fspick,
	__NR_pidfd_open,
#endif
#ifdef __NR_pidfd_getfd
	__NR_pidfd_getfd,
#endif
};

/* A filter in the making. */
struct code {
	struct sock_filter v[MOST_STEPS + 6 + STARTING];
	unsigned short n;
};

static void
put(struct code *code, unsigned short op, unsigned k, int yes, int no)
{
	code->v[code->n++] = (struct sock_filter){ op, (unsigned char)yes,
		(unsigned char)no, k };
}

/* The numbers of x32 begin here, by which x86-64 can be called, too. */
#define OTHER_CALLS 0x40000000

/* The least number above CALL that is refused. */
static int
next_call(int call, bool children)
{
	int next = OTHER_CALLS;

	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		if (refused[i] > call && refused[i] < next)
			next = refused[i];
	for (size_t i = 0; !children && i < sizeof starting / sizeof *starting;
	     i++)
		if (starting[i] > call && starting[i] < next)
			next = starting[i];
	return next;
}

/*
 * Where what happens to a call changes: below STEPS[0] it is let pass, from
 * there to STEPS[1] refused, and so on in turns.
 */
static int
find_steps(int steps[], bool children)
{
	int n = 0, call = -1;

	while ((call = next_call(call, children)) != OTHER_CALLS) {
		if (n != 0 && steps[n - 1] == call)
			n--;
		else
			steps[n++] = call;
		steps[n++] = call + 1;
	}
	steps[n++] = OTHER_CALLS;
	return n;
}

/* Where the flags of clone are, the half of them that says what it makes. */
#ifdef __s390x__
#define CLONE_FLAGS (offsetof(struct seccomp_data, args[1]) + 4)
#else
#define CLONE_FLAGS offsetof(struct seccomp_data, args[0])
#endif

/*
 * A thread is no process. The flags of clone3 cannot be seen; whoever is told
 * that there is none calls clone.
 */
static void
put_starting(struct code *code)
{
	put(code, BPF_JMP | BPF_JEQ | BPF_K, __NR_clone3, 0, 1);
	put(code, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS, 0, 0);
	put(code, BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 0, 4);
	put(code, LOAD, CLONE_FLAGS, 0, 0);
	put(code, BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1);
	put(code, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
	put(code, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM, 0, 0);
}

/*
 * A list that goes up: what is called often has small numbers. Before it runs
 * the filter the system looks for calls that it always lets pass, number by
 * number, which costs a short program more than running it; it stops where an
 * argument is looked at, so that comes first. that is 15 us and not 40.
 */
bool
sf_calls_refuse(bool children)
{
	struct code code = { .n = 0 };
	int steps[MOST_STEPS];
	int n = find_steps(steps, children);
	struct sock_fprog program;

	put(&code, LOAD, offsetof(struct seccomp_data, args), 0, 0);
	/* A call by the numbers of another machine is none of ours. */
	put(&code, LOAD, offsetof(struct seccomp_data, arch), 0, 0);
	put(&code, BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 0,
	    n + 1 + (children ? 0 : STARTING));
	put(&code, LOAD, offsetof(struct seccomp_data, nr), 0, 0);
	if (!children)
		put_starting(&code);
	for (int i = 0; i < n; i++)
		put(&code, BPF_JMP | BPF_JGE | BPF_K, (unsigned)steps[i], 0,
		    n - 1 - i + (i % 2 == 0));
	put(&code, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM, 0, 0);
	put(&code, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
	program = (struct sock_fprog){ code.n, code.v };
	return syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}

#else

bool
sf_calls_refuse(bool children)
{
	(void)children;
	return false;
}

#endif
