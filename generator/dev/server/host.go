package server

import (
	"net"
	"net/netip"
	"slices"
	"strings"
)

// IsOwn tells whether a request is for this server, by its Host header. A page of
// somebody else's may have its name lead to this machine after it was loaded (DNS
// rebinding), and would then read the book as its own; but the name in the header
// stays its own.
func (s *Server) IsOwn(host string) bool {
	name := hostName(host)
	if name == "localhost" || strings.HasSuffix(name, ".localhost") { // RFC 6761: both are this machine
		return true
	}
	if ip, err := netip.ParseAddr(name); err == nil && ip.Unmap().IsLoopback() {
		return true
	}
	return name != "" && slices.ContainsFunc(s.Hosts, func(own string) bool { return hostName(own) == name })
}

// hostName is a host without port, brackets, the dot of its end, and in small letters.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	} else if inside, ok := strings.CutPrefix(host, "["); ok {
		host = strings.TrimSuffix(inside, "]")
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// HostsOf are the names by which a server is called that listens on an address: the
// address, and where it is that of all of the machine's interfaces, theirs.
func HostsOf(addr string, interfaces []net.Addr) []string {
	name := hostName(addr)
	ip, err := netip.ParseAddr(name)
	if name != "" && (err != nil || !ip.IsUnspecified()) {
		return []string{name}
	}
	var out []string
	for _, each := range interfaces {
		if prefix, err := netip.ParsePrefix(each.String()); err == nil {
			out = append(out, "["+prefix.Addr().WithZone("").String()+"]")
		}
	}
	return out
}
