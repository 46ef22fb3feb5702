package cri

import (
	"strconv"
	"strings"
	"time"

	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// Caller is the Pod that a request comes from.
type Caller struct {
	Node, Namespace, Pod, Container string
	IP                              string // "" with the host's network
}

// Request is one request of HTTP, a connection that is only opened, or a packet of UDP or SCTP.
type Request struct {
	Method string // "" is GET
	// URL is what the caller asked for: "http://web:80/path", "tcp://web:5432", "udp://web:53" with what the packet holds in Body.
	URL    string
	Body   string
	Header map[string][]string // nil is none
	// From is the address that it comes from, as the one who answers sees it.
	From string
	// Verify looks at the certificate that the server shows (see package x509), before it gets the request. nil takes any.
	Verify func(shown string) error
}

// Failure tells why there is no answer.
type Failure string

// The failures that a program can tell apart.
const (
	NotResolved Failure = "could not resolve host"
	Refused     Failure = "connection refused"
	TimedOut    Failure = "timed out"
	Reset       Failure = "connection reset by peer"
)

// Response is what came of a request.
type Response struct {
	Status  int // of HTTP; 0 for a connection that was only opened, and for a packet
	Body    string
	Failure Failure // "" when there is an answer
	// Address is who was connected to, "10.96.0.10:80"; "" if it didn't get so far.
	Address string
}

// Dialer is a Pod's way out: the cluster's network. done is called once, at
// the virtual time at which the answer arrives and due to what brought it; a
// caller that gave up doesn't mind. Nobody may answer a packet of UDP for a long time.
type Dialer interface {
	// Dial sends a request to whatever its URL names.
	Dial(from Caller, request Request, done func(Response))
	// Resolve asks for a name's addresses, as the Pod's resolv.conf says; none when there is no such name.
	Resolve(from Caller, name string, done func(addresses []string))
}

// SetDialer connects the node's Pods. Without it they reach only themselves and
// the Pods of their own node, by address.
func (r *Runtime) SetDialer(d Dialer) { r.dialer = d }

// parsedURL is scheme://host:port/path.
type parsedURL struct {
	scheme, host, path string
	port               int32
}

func parseURL(text string) parsedURL {
	u := parsedURL{scheme: "http", path: "/"}
	if scheme, rest, ok := strings.Cut(text, "://"); ok {
		u.scheme, text = scheme, rest
	}
	if i := strings.IndexByte(text, '/'); i >= 0 {
		text, u.path = text[:i], text[i:]
	}
	u.host, u.port = text, 80
	if u.scheme == "https" {
		u.port = 443
	}
	if i := strings.LastIndexByte(text, ':'); i >= 0 {
		if n, err := strconv.ParseInt(text[i+1:], 10, 32); err == nil {
			u.host, u.port = text[:i], int32(n)
		}
	}
	return u
}

// protocolOf is what a request is carried by: "tcp", "udp" or "sctp".
func protocolOf(url string) string {
	if scheme, _, _ := strings.Cut(url, ":"); scheme == "udp" || scheme == "sctp" {
		return scheme
	}
	return "tcp"
}

// hostname is a Pod's own name for itself. Upstream: pkg/kubelet/kubelet_pods.go, GetNodenameForKernel.
func (s *PodSandbox) hostname() string {
	if r := s.Config.Rare; r != nil && r.FQDN {
		return s.fqdn()
	}
	return s.shortName()
}

// fqdn is the name with its domain, if it has one.
func (s *PodSandbox) fqdn() string {
	if r := s.Config.Rare; r != nil && r.Domain != "" {
		return s.shortName() + "." + r.Domain
	}
	return s.shortName()
}

func (s *PodSandbox) shortName() string {
	if s.Config.Hostname != "" {
		return s.Config.Hostname
	}
	return s.Config.Name
}

// Serve hands a request that has arrived at a Pod's address to the container
// that listens on the port. done is called when it has answered; never for a packet of UDP that it doesn't answer.
func (r *Runtime) Serve(ip string, port int32, request Request, done func(Response)) {
	for _, s := range r.disk.sandboxes {
		if s.IP == ip && s.State == SandboxReady && r.component.Running() {
			r.serve(s, port, request, done)
			return
		}
	}
	done(Response{Failure: TimedOut}) // nobody has the address
}

// serve answers for a Pod. Whoever listens first has the port.
func (r *Runtime) serve(s *PodSandbox, port int32, request Request, done func(Response)) {
	address, protocol := s.IP+":"+strconv.Itoa(int(port)), protocolOf(request.URL)
	for _, c := range r.containersOf(s.ID) {
		t := r.tasks[c.ID]
		if t == nil || !t.listens(r.kernel.Elapsed(), c, protocol, port) {
			continue
		}
		if verify := request.Verify; verify != nil {
			if err := verify(t.program.Certificate); err != nil {
				done(Response{Failure: Failure(err.Error()), Address: address})
				return
			}
		}
		now := r.kernel.Elapsed()
		takes := t.program.Latency
		if strings.HasPrefix(request.URL, "tcp:") {
			takes = 0 // the kernel takes connections; what comes over them is the program's
		} else if cpu := t.program.RequestCPU; cpu > 0 {
			// One after the other, as fast as the limit on its CPU allows.
			if limit := c.Config.Resources.CPULimit; limit > 0 && limit < 1000*milli {
				cpu = cpu * 1000 / time.Duration(max(limit/milli, 1))
			}
			t.spend(now, t.program.RequestCPU)
			t.free = max(t.free, now) + cpu
			takes += t.free - now
		}
		if a := t.program.Admission; a != nil && request.Method == "POST" {
			path, _, _ := strings.Cut(parseURL(request.URL).path, "?")
			takes += a.delay(path, request.Body)
		}
		answer := func() {
			if r.tasks[c.ID] != t {
				done(Response{Failure: Reset, Address: address})
				return
			}
			if guest, serves := t.guest.(guestThatServes); serves && !strings.HasPrefix(request.URL, "tcp:") {
				guest.Serve(request, func(status int, body string) {
					if status == 0 {
						done(Response{Failure: Refused, Address: address})
						return
					}
					done(Response{Status: status, Body: body, Address: address})
				})
				return
			}
			if own := t.program.Endpoints; own != nil && !t.broken(r.kernel.Elapsed()) && !strings.HasPrefix(request.URL, "tcp:") {
				own.serve(&Inside{runtime: r, container: c, sandbox: s, task: t}, request, func(response Response) {
					if response.Address = address; r.tasks[c.ID] != t {
						response = Response{Failure: Reset, Address: address}
					}
					done(response)
				})
				return
			}
			response := r.answer(c, s, t, request)
			response.Address = address
			done(response)
		}
		if takes > 0 {
			r.component.Later(takes, answer)
		} else {
			answer()
		}
		return
	}
	done(Response{Failure: Refused, Address: address})
}

// broken tells whether a program doesn't answer well any more.
func (t *task) broken(now time.Duration) bool {
	return t.program.Breaks > 0 && now-t.began >= t.program.Breaks
}

// listens tells whether a container's program takes connections, or packets, on a port.
func (t *task) listens(now time.Duration, c *Container, protocol string, port int32) bool {
	p := &t.program
	if !p.Serves || p.Guest != "" && t.guest == nil || now-t.began < p.Answers || t.signal != 0 && !p.IgnoresSIGTERM && p.Stops == 0 {
		return false
	}
	if protocol != "tcp" {
		return p.Endpoints != nil && p.Endpoints.hears(protocol, port)
	}
	if len(p.Ports)+len(c.Config.Ports) == 0 {
		return true
	}
	for _, list := range [][]int32{p.Ports, c.Config.Ports} {
		for _, one := range list {
			if one == port {
				return true
			}
		}
	}
	return false
}

// answer is what a server says. Upstream: test/images/agnhost/netexec, for the paths.
func (r *Runtime) answer(c *Container, s *PodSandbox, t *task, request Request) Response {
	u := parseURL(request.URL)
	if u.scheme == "tcp" {
		return Response{}
	}
	path, query, _ := strings.Cut(u.path, "?")
	out := Response{Status: 200, Body: s.hostname()}
	if t.broken(r.kernel.Elapsed()) {
		out = Response{Status: 500, Body: "error: " + (r.kernel.Elapsed() - t.began).Truncate(time.Millisecond).String()}
	} else {
		switch {
		case t.program.API != nil && strings.HasPrefix(path, "/apis"):
			out.Status, out.Body = t.program.API.serve(r.kernel.Time(), request, r.kernel.Rand("clock-apiserver").UUID)
		case t.program.Admission != nil && request.Method == "POST":
			out.Status, out.Body = t.program.Admission.review(path, request.Body)
		case path == "/healthz" || path == "/readyz" || path == "/livez":
			out.Body = "ok"
		case path == "/clientip":
			out.Body = request.From
		case path == "/echo":
			out.Body = strings.TrimPrefix(query, "msg=")
		case path == "/exit":
			code, _ := strconv.ParseInt(strings.TrimPrefix(query, "code="), 10, 32)
			r.component.Later(0, func() { r.crash(c, int32(code)) })
		case t.program.Root != "":
			if file, ok := r.file(c, t.program.Root, path); ok {
				out.Body = file
			} else if t.program.Root == "/" || r.mounted(c, t.program.Root) {
				out.Status, out.Body = 404, "404 Not Found"
			}
		}
	}
	if t.program.LogsRequests && request.From != "" {
		method := request.Method
		if method == "" {
			method = "GET"
		}
		c.log.write(r.kernel.Time(), "stdout", request.From+" - \""+method+" "+u.path+"\" "+strconv.Itoa(out.Status))
	}
	return out
}

func (r *Runtime) file(c *Container, root, path string) (string, bool) {
	if !strings.HasSuffix(path, "/") {
		return c.readFile(clean("/", root+path))
	}
	dir := clean("/", root+path)
	text, ok := c.readFile(clean(dir, "index.html"))
	if ok || root != "/" || !c.isDir(dir) {
		return text, ok
	}
	// Upstream: net/http, dirList, which agnhost test-webserver has from Go.
	text = "<!doctype html>\n<meta name=\"viewport\" content=\"width=device-width\">\n<pre>\n"
	for _, name := range c.listDir(dir) {
		if c.isDir(clean(dir, name)) {
			name += "/"
		}
		text += "<a href=\"" + name + "\">" + name + "</a>\n"
	}
	return text + "</pre>\n", true
}

func (r *Runtime) mounted(c *Container, root string) bool {
	for _, m := range c.Config.Mounts {
		if clean("/", m.Path) == root {
			return true
		}
	}
	return false
}

// Ask sends a request to a Pod from its own node, as the kubelet's probes and
// hooks do, and waits for the answer.
func (r *Runtime) Ask(p *sim.Proc, sandboxID string, port int32, request Request, timeout time.Duration) Response {
	s := r.disk.sandbox(sandboxID)
	if s == nil || !r.component.Running() {
		return Response{Failure: Refused}
	}
	return r.wait(p, timeout, func(done func(Response)) { r.serve(s, port, request, done) })
}

// wait parks a process until it is answered, or for as long as it would wait.
func (r *Runtime) wait(p *sim.Proc, timeout time.Duration, send func(done func(Response))) Response {
	var out Response
	var cause trace.ID
	answered, waiting := false, false
	send(func(response Response) {
		if answered {
			return
		}
		out, answered = response, true
		if cause = r.kernel.Cause(); waiting {
			p.Wake()
		}
	})
	deadline := p.Now() + timeout
	for !answered && p.Now() < deadline {
		waiting = true
		p.ParkFor(deadline - p.Now())
	}
	if !answered {
		answered = true
		return Response{Failure: TimedOut}
	}
	p.Due(cause)
	return out
}

// request sends one from inside a container.
func (x *shell) request(request Request, timeout time.Duration) Response {
	return x.runtime.request(x.proc, x.sandbox, x.container.Config.Name, request, min(timeout, x.patience()-x.proc.Now()))
}

// request sends one from inside a container, and waits for the answer.
func (r *Runtime) request(p *sim.Proc, s *PodSandbox, container string, request Request, timeout time.Duration) Response {
	u := parseURL(request.URL)
	request.From = s.IP
	return r.wait(p, timeout, func(done func(Response)) {
		switch {
		case s.Config.HostNetwork && r.loopback(u, request, done):
		case u.host == "localhost" || u.host == "127.0.0.1" || u.host != "" && u.host == s.IP:
			r.serve(s, u.port, request, done)
		case r.dialer != nil:
			r.dialer.Dial(r.caller(s, container), request, done)
		case isAddress(u.host):
			r.Serve(u.host, u.port, request, done)
		default:
			done(Response{Failure: NotResolved})
		}
	})
}

func (r *Runtime) caller(s *PodSandbox, container string) Caller {
	return Caller{Node: r.node, Namespace: s.Config.Namespace, Pod: s.Config.Name, Container: container, IP: s.IP}
}

func isAddress(host string) bool {
	return strings.Trim(host, "0123456789.") == "" && strings.Count(host, ".") == 3
}

// HostPort is the address of the Pod that has a port of the node, at one of the node's addresses; "" for none. Upstream: the CNI plugin portmap.
func (r *Runtime) HostPort(protocol, ip string, port int32) string {
	for _, s := range r.disk.sandboxes {
		if s.Config.Rare == nil || s.State != SandboxReady {
			continue
		}
		for _, m := range s.Config.Rare.PortMappings {
			if m.Protocol == protocol && m.HostPort == port && (m.HostIP == "" || m.HostIP == "0.0.0.0" || m.HostIP == ip) {
				return s.IP + ":" + strconv.Itoa(int(m.ContainerPort))
			}
		}
	}
	return ""
}

// loopback sends a request of a program on the node itself to the Pod that has a port at 127.0.0.1. It tells false if there is none.
func (r *Runtime) loopback(u parsedURL, request Request, done func(Response)) bool {
	const local = "127.0.0.1"
	if u.host != local && u.host != "localhost" {
		return false
	}
	to := parseURL(u.scheme + "://" + r.HostPort(protocolOf(request.URL), local, u.port))
	if to.host != "" {
		r.Serve(to.host, to.port, request, done)
	}
	return to.host != ""
}
