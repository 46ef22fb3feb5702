package cri

import "strings"

// DNSConfig is what a Pod's programs resolve names with. Upstream: CRI's DNSConfig.
type DNSConfig struct {
	Servers, Searches, Options []string
}

// HostAlias is a line that a Pod adds to its /etc/hosts. Upstream: core/v1.HostAlias.
type HostAlias struct {
	IP        string
	Hostnames []string
}

// managedFile is a file that the kubelet or the runtime puts into every container.
func (s *PodSandbox) managedFile(path string) (string, bool) {
	switch path {
	case "/etc/hostname":
		return s.hostname() + "\n", true
	case "/etc/hosts":
		return s.hosts(), true
	case "/etc/resolv.conf":
		return s.Config.DNS.text(), true
	}
	return "", false
}

// usualHosts is what is in every node's /etc/hosts.
const usualHosts = "127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\nfe00::0\tip6-localnet\nfe00::0\tip6-mcastprefix\n" +
	"fe00::1\tip6-allnodes\nfe00::2\tip6-allrouters\n"

// hosts is upstream's pkg/kubelet/kubelet_pods.go, managedHostsFileContent and nodeHostsFileContent.
func (s *PodSandbox) hosts() string {
	var b strings.Builder
	if s.Config.HostNetwork {
		b.WriteString("# Kubernetes-managed hosts file (host network).\n" + usualHosts)
	} else {
		b.WriteString("# Kubernetes-managed hosts file.\n" + usualHosts + s.IP + "\t")
		if name := s.fqdn(); name != s.shortName() {
			b.WriteString(name + "\t")
		}
		b.WriteString(s.shortName() + "\n")
	}
	if len(s.Config.HostAliases) > 0 {
		b.WriteString("\n# Entries added by HostAliases.\n")
	}
	for _, a := range s.Config.HostAliases {
		b.WriteString(a.IP + "\t" + strings.Join(a.Hostnames, "\t") + "\n")
	}
	return b.String()
}

// text is the file /etc/resolv.conf. Upstream: containerd, pkg/cri/server/sandbox_run_linux.go, parseDNSOptions.
func (d *DNSConfig) text() string {
	var b strings.Builder
	if len(d.Searches) > 0 {
		b.WriteString("search " + strings.Join(d.Searches, " ") + "\n")
	}
	for _, server := range d.Servers {
		b.WriteString("nameserver " + server + "\n")
	}
	if len(d.Options) > 0 {
		b.WriteString("options " + strings.Join(d.Options, " ") + "\n")
	}
	return b.String()
}
