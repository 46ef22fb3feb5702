//go:build !js || cel

package kuberuntime

import (
	"cmp"
	"errors"
	"fmt"

	"kubewalk/playground/api/corev1"
)

func init() { loadProfiles = missingProfile }

// seccompRoot is where a node's profiles are. Upstream: pkg/kubelet/kubelet.go, seccompProfileRoot.
const seccompRoot = "/var/lib/kubelet/seccomp"

// missingProfile is why containerd does not create a container with a profile of the node's: nobody has put one there, or loaded it. A node has
// AppArmor here, as most have.
// Upstream: pkg/kubelet/kuberuntime/helpers.go, getSeccompProfile; pkg/security/apparmor/helpers.go, GetProfile; containerd
// internal/cri/server/container_create_linux.go, generateApparmorSpecOpts and generateSeccompSpecOpts, and contrib/seccomp, WithProfile.
func missingProfile(pod *corev1.Pod, c *corev1.Container) error {
	var seccomp *corev1.SeccompProfile
	var armor *corev1.AppArmorProfile
	privileged := false
	if s := pod.Spec.SecurityContext; s != nil {
		seccomp, armor = s.SeccompProfile, s.AppArmorProfile
	}
	if s := c.SecurityContext; s != nil {
		seccomp, armor = cmp.Or(s.SeccompProfile, seccomp), cmp.Or(s.AppArmorProfile, armor)
		privileged = s.Privileged != nil && *s.Privileged
	}
	if armor != nil && armor.Type == corev1.AppArmorProfileTypeLocalhost && armor.LocalhostProfile != nil {
		return errors.New("failed to get container spec opts: failed to generate apparmor spec opts: apparmor profile not found " + *armor.LocalhostProfile)
	}
	if !privileged && seccomp != nil && seccomp.Type == corev1.SeccompProfileTypeLocalhost && seccomp.LocalhostProfile != nil {
		file := seccompRoot + "/" + *seccomp.LocalhostProfile
		return fmt.Errorf("failed to create containerd container: cannot load seccomp profile %q: open %s: no such file or directory", file, file)
	}
	return nil
}
