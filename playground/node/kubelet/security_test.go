//go:build !js || cel

package kubelet_test

import (
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
)

// What a Pod asks of a machine that it does not get is refused, not left out.
func TestUnsupportedPods(t *testing.T) {
	n := newNode(t, 72)
	n.pass(3 * time.Second)
	yes, user, root := true, int64(1000), int64(0)
	file, armor := "profiles/audit.json", "k8s-apparmor-example-deny-write"
	safe := []corev1.Sysctl{{Name: "net/ipv4/tcp_syncookies", Value: "0"}, {Name: "kernel.shm_rmid_forced", Value: "1"}}
	security := func(s corev1.PodSecurityContext) func(*corev1.Pod) {
		return func(pod *corev1.Pod) {
			pod.Spec.SecurityContext = &s
			pod.Spec.Containers[0].Image, pod.Spec.Containers[0].Command = "busybox", []string{"sleep", "infinity"}
		}
	}
	for _, c := range []struct {
		name  string
		alter func(*corev1.Pod)
		want  string // "" if it runs, or the reason why not and what is said of it
	}{
		{"windows", func(pod *corev1.Pod) { pod.Spec.OS = &corev1.PodOS{Name: corev1.Windows} }, "PodOSNotSupported: Pod was rejected: Failed to admit pod as the OS field doesn't match node OS"},
		{"linux", func(pod *corev1.Pod) { pod.Spec.OS = &corev1.PodOS{Name: corev1.Linux} }, ""},
		{"unsafe", security(corev1.PodSecurityContext{Sysctls: []corev1.Sysctl{{Name: "kernel.msgmax", Value: "1"}}}),
			`SysctlForbidden: Pod was rejected: forbidden sysctl: "kernel.msgmax" not allowlisted`},
		{"safe", security(corev1.PodSecurityContext{Sysctls: safe}), ""},
		{"host", func(pod *corev1.Pod) {
			security(corev1.PodSecurityContext{Sysctls: safe})(pod)
			pod.Spec.HostNetwork = true
		}, `SysctlForbidden: Pod was rejected: forbidden sysctl: "net/ipv4/tcp_syncookies" not allowed with host net enabled`},
		{"image", security(corev1.PodSecurityContext{RunAsNonRoot: &yes}),
			`CreateContainerConfigError: container has runAsNonRoot and image will run as root (pod: "image_default(`},
		{"user", security(corev1.PodSecurityContext{RunAsNonRoot: &yes, RunAsUser: &root}),
			`CreateContainerConfigError: container's runAsUser breaks non-root policy (pod: "user_default(`},
		{"other", security(corev1.PodSecurityContext{RunAsNonRoot: &yes, RunAsUser: &user}), ""},
		{"seccomp", security(corev1.PodSecurityContext{SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeLocalhost, LocalhostProfile: &file}}),
			`CreateContainerError: failed to create containerd container: cannot load seccomp profile "/var/lib/kubelet/seccomp/profiles/audit.json": ` +
				`open /var/lib/kubelet/seccomp/profiles/audit.json: no such file or directory`},
		{"default", security(corev1.PodSecurityContext{SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
			AppArmorProfile: &corev1.AppArmorProfile{Type: corev1.AppArmorProfileTypeRuntimeDefault}}), ""},
		{"apparmor", func(pod *corev1.Pod) {
			pod.Spec.Containers[0].SecurityContext = &corev1.SecurityContext{AppArmorProfile: &corev1.AppArmorProfile{
				Type: corev1.AppArmorProfileTypeLocalhost, LocalhostProfile: &armor}}
		}, `CreateContainerError: failed to get container spec opts: failed to generate apparmor spec opts: apparmor profile not found k8s-apparmor-example-deny-write`},
	} {
		n.create(bound(c.name, c.alter))
		if c.want == "" {
			n.until(c.name+" runs", 30*time.Second, isRunning(n, c.name))
			continue
		}
		n.pass(10 * time.Second)
		status := n.pod(c.name).Status
		got := status.Reason + ": " + status.Message
		if list := status.ContainerStatuses; status.Reason == "" && len(list) == 1 && list[0].State.Waiting != nil {
			got = list[0].State.Waiting.Reason + ": " + list[0].State.Waiting.Message
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
