package podsecurity

import (
	"testing"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
)

// TestSysctls: those are named that are not safe, in the version in question. Upstream: pod-security-admission/policy/check_sysctls.go.
func TestSysctls(t *testing.T) {
	for _, c := range []struct {
		name   string
		more   int
		detail string
	}{
		{"kernel.shm_rmid_forced", 0, ""},
		{"kernel.msgmax", 7, "kernel.msgmax"},
		{"net.ipv4.tcp_rmem", 0, "net.ipv4.tcp_rmem"},
		{"net.ipv4.tcp_rmem", 7, ""},
	} {
		spec := &corev1.PodSpec{SecurityContext: &corev1.PodSecurityContext{Sysctls: []corev1.Sysctl{{Name: c.name}}}}
		if reason, detail := sysctls(c.more)(newPod(&metav1.ObjectMeta{}, spec)); detail != c.detail || (reason == "") != (detail == "") {
			t.Errorf("%s, %d more: %q, %q", c.name, c.more, reason, detail)
		}
	}
}
