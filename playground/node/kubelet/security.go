//go:build !js || cel

package kubelet

import (
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/node/kubelet/container"
	"kubewalk/playground/node/kubelet/cri"
)

func init() {
	admitSecurity = supported
	verifyUser = verifyRunAsNonRoot
}

// supported tells why a Pod can run on no Linux machine without the administrator's consent.
// Upstream: pkg/kubelet/lifecycle/predicate.go, rejectPodAdmissionBasedOnOSField; pkg/kubelet/sysctl/allowlist.go, Admit.
func supported(pod *corev1.Pod) (reason, message string) {
	if pod.Spec.OS != nil && pod.Spec.OS.Name != corev1.Linux {
		return "PodOSNotSupported", "Failed to admit pod as the OS field doesn't match node OS"
	}
	if s := pod.Spec.SecurityContext; s != nil {
		for _, one := range s.Sysctls {
			if why := forbidden(strings.ReplaceAll(one.Name, "/", "."), pod); why != "" {
				return "SysctlForbidden", fmt.Sprintf("forbidden sysctl: %q %s", one.Name, why)
			}
		}
	}
	return "", ""
}

// safeSysctls are those that do no harm outside of the Pod. Upstream: pkg/kubelet/sysctl/safe_sysctls.go, safeSysctls.
var safeSysctls = []string{"kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.tcp_syncookies", "net.ipv4.ping_group_range",
	"net.ipv4.ip_unprivileged_port_start", "net.ipv4.ip_local_reserved_ports", "net.ipv4.tcp_keepalive_time", "net.ipv4.tcp_fin_timeout",
	"net.ipv4.tcp_keepalive_intvl", "net.ipv4.tcp_keepalive_probes", "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"}

func forbidden(name string, pod *corev1.Pod) string {
	switch ofNetwork := strings.HasPrefix(name, "net."); {
	case !slices.Contains(safeSysctls, name):
		return "not allowlisted"
	case ofNetwork && pod.Spec.HostNetwork:
		return "not allowed with host net enabled"
	case !ofNetwork && pod.Spec.HostIPC:
		return "not allowed with host ipc enabled"
	}
	return ""
}

// verifyRunAsNonRoot refuses a container that would run as root, and says that it must not.
// Upstream: pkg/kubelet/kuberuntime/security_context.go.
func verifyRunAsNonRoot(pod *corev1.Pod, c *corev1.Container) error {
	var must *bool
	var user *int64
	if s := pod.Spec.SecurityContext; s != nil {
		must, user = s.RunAsNonRoot, s.RunAsUser
	}
	if s := c.SecurityContext; s != nil {
		if s.RunAsNonRoot != nil {
			must = s.RunAsNonRoot
		}
		if s.RunAsUser != nil {
			user = s.RunAsUser
		}
	}
	switch {
	case must == nil || !*must:
	case user != nil && *user == 0:
		return fmt.Errorf("container's runAsUser breaks non-root policy (pod: %q, container: %s)", container.FormatPod(pod), c.Name)
	case user == nil && cri.RunsAsRoot(c.Image):
		return fmt.Errorf("container has runAsNonRoot and image will run as root (pod: %q, container: %s)", container.FormatPod(pod), c.Name)
	}
	return nil
}
