package kuberuntime

import (
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/node/kubelet/cri"
)

// hostname is what a Pod wants to be called; "" for its name. Upstream: pkg/kubelet/kubelet_pods.go, GeneratePodHostNameAndDomain
// and truncatePodHostnameIfNeeded.
func hostname(pod *corev1.Pod) string {
	if o := pod.Spec.HostnameOverride; o != nil {
		return strings.TrimRight((*o)[:min(len(*o), mostHostname)], "-.")
	}
	return pod.Spec.Hostname
}

// mostHostname is how long a host's name is at most, for Linux.
const mostHostname = 63

// podDomain is what a Pod's host name is part of, if the Pod says so.
func podDomain(pod *corev1.Pod) string {
	if pod.Spec.Subdomain == "" || pod.Spec.HostnameOverride != nil {
		return ""
	}
	return pod.Spec.Subdomain + "." + pod.Namespace + ".svc." + ClusterDomain
}

// portMappings are the node's ports that a Pod has. Upstream: pkg/kubelet/kuberuntime/kuberuntime_sandbox.go, generatePodSandboxConfig.
func portMappings(pod *corev1.Pod) (out []cri.PortMapping) {
	for _, c := range pod.Spec.Containers {
		for _, p := range c.Ports {
			if p.HostPort > 0 && !pod.Spec.HostNetwork {
				out = append(out, cri.PortMapping{Protocol: strings.ToLower(string(p.Protocol)), HostIP: p.HostIP, HostPort: p.HostPort, ContainerPort: p.ContainerPort})
			}
		}
	}
	return out
}

// sysctls are the parameters of the kernel that a Pod sets. Upstream: kuberuntime_sandbox.go, generatePodSandboxLinuxConfig.
func sysctls(pod *corev1.Pod) (out []cri.Variable) {
	if s := pod.Spec.SecurityContext; s != nil {
		for _, one := range s.Sysctls {
			out = append(out, cri.Variable{Name: one.Name, Value: one.Value})
		}
	}
	return out
}

// rareConfig is nil for a Pod that says nothing of all that.
func rareConfig(pod *corev1.Pod) *cri.RareSandboxConfig {
	r := &cri.RareSandboxConfig{
		Domain: podDomain(pod), FQDN: pod.Spec.SetHostnameAsFQDN != nil && *pod.Spec.SetHostnameAsFQDN, PortMappings: portMappings(pod), Sysctls: sysctls(pod),
	}
	if r.Domain == "" && len(r.PortMappings)+len(r.Sysctls) == 0 {
		return nil
	}
	return r
}
