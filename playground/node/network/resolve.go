package network

import (
	"strconv"
	"strings"
)

// NameServer is the address of the cluster's name server: of a Service, so a query goes through the node's rules.
// Upstream: the kubelet's clusterDNS.
const NameServer = "10.96.0.10"

// ClusterDomain ends every name of the cluster. Upstream: the kubelet's clusterDomain.
const ClusterDomain = "cluster.local"

// ndots is how many dots a name needs to be tried as it is first. Upstream: pkg/kubelet/network/dns/dns.go, defaultDNSOptions.
const ndots = 5

// SearchDomains are what a Pod's resolv.conf tries behind a short name. Upstream: dns.go, generateSearchesForDNSClusterFirst.
func SearchDomains(namespace string) []string {
	return []string{namespace + ".svc." + ClusterDomain, "svc." + ClusterDomain, ClusterDomain}
}

// ResolvConf is a Pod's /etc/resolv.conf.
func ResolvConf(namespace string) string {
	return "search " + strings.Join(SearchDomains(namespace), " ") + "\nnameserver " + NameServer + "\noptions ndots:" + strconv.Itoa(ndots) + "\n"
}

// candidates are the names that a resolver asks for, in order.
func candidates(namespace, name string) []string {
	if absolute, ok := strings.CutSuffix(name, "."); ok {
		return []string{absolute}
	}
	var searched []string
	for _, domain := range SearchDomains(namespace) {
		searched = append(searched, name+"."+domain)
	}
	if strings.Count(name, ".") >= ndots {
		return append([]string{name}, searched...)
	}
	return append(searched, name)
}

// Resolve asks for a name's addresses; none when there is no such name, or nobody answers. A program outside the cluster, or
// on a machine itself, asks the world's name servers, which know what was published.
func (f *Fabric) Resolve(from Source, name string, done func(addresses []string)) {
	if from.Node == "" || from.Pod == "" || from.IP == "" {
		if ip := f.Public(strings.TrimSuffix(name, ".")); ip != "" {
			done([]string{ip})
			return
		}
		done(nil)
		return
	}
	from = f.booted(from)
	f.ask(from, candidates(from.Namespace, name), 1, done)
}

// ask sends a query for the first name; when there is no such name it goes on with the next, when nobody answers it tries
// again.
func (f *Fabric) ask(from Source, names []string, attempt int, done func([]string)) {
	if len(names) == 0 {
		done(nil)
		return
	}
	query := Request{Method: "A", URL: "dns://" + names[0]}
	f.connect(f.kernel.NextMessage(), from, "udp", Address(NameServer, 53), query, "A? "+names[0], nameTimeout, func(r Response) {
		switch {
		case r.Failure != "" && attempt < attempts:
			f.ask(from, names, attempt+1, done)
		case r.Failure != "":
			done(nil)
		case strings.HasPrefix(r.Body, "NOERROR ") && isAddress(firstWord(r.Body[len("NOERROR "):])):
			done(strings.Fields(r.Body[len("NOERROR "):]))
		default:
			f.ask(from, names[1:], 1, done)
		}
	})
}

func firstWord(s string) string {
	word, _, _ := strings.Cut(s, " ")
	return word
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
