package kuberuntime

import (
	"slices"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/node/kubelet/cri"
)

// What a node's programs resolve names with, and what the kubelet tells Pods instead. Upstream: the kubelet's clusterDNS and ClusterDomain,
// as kubeadm sets them.
const (
	nodeNameServer = "10.0.0.2"
	clusterDNS     = "10.96.0.10"
	ClusterDomain  = "cluster.local"
)

// podDNS is what a Pod resolves names with. Upstream: pkg/kubelet/network/dns/dns.go, Configurer.GetPodDNS.
func podDNS(pod *corev1.Pod) cri.DNSConfig {
	out := cri.DNSConfig{Servers: []string{nodeNameServer}}
	policy := pod.Spec.DNSPolicy
	switch {
	case policy == corev1.DNSNone:
		out = cri.DNSConfig{}
	case policy == corev1.DNSClusterFirstWithHostNet, policy != corev1.DNSDefault && !pod.Spec.HostNetwork:
		svc := "svc." + ClusterDomain
		out = cri.DNSConfig{Servers: []string{clusterDNS}, Searches: []string{pod.Namespace + "." + svc, svc, ClusterDomain}, Options: []string{"ndots:5"}}
	}
	more := pod.Spec.DNSConfig
	if more == nil {
		return out
	}
	out.Servers = appendMissing(out.Servers, more.Nameservers)
	out.Searches = appendMissing(out.Searches, more.Searches)
	for _, o := range more.Options {
		text := o.Name
		if o.Value != nil && *o.Value != "" {
			text += ":" + *o.Value
		}
		out.Options = append(slices.DeleteFunc(out.Options, func(old string) bool { return optionName(old) == o.Name }), text)
	}
	return out
}

// optionName is "ndots" of "ndots:5".
func optionName(option string) string {
	for i := range option {
		if option[i] == ':' {
			return option[:i]
		}
	}
	return option
}

func appendMissing(to, more []string) []string {
	for _, one := range more {
		if !slices.Contains(to, one) {
			to = append(to, one)
		}
	}
	return to
}

func hostAliases(pod *corev1.Pod) (out []cri.HostAlias) {
	for _, a := range pod.Spec.HostAliases {
		out = append(out, cri.HostAlias{IP: a.IP, Hostnames: a.Hostnames})
	}
	return out
}
