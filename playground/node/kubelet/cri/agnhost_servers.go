//go:build !js || cel

package cri

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"kubewalk/playground/sim"
)

func init() {
	agnhostPrograms["porter"] = func(p *Program, options map[string]string) {
		_, asJSON := options["json-response"]
		p.Serves, p.Endpoints = true, &porter{asJSON: asJSON}
	}
	agnhostPrograms["nettest"] = func(p *Program, options map[string]string) {
		port, err := strconv.ParseInt(options["port"], 10, 32)
		if err != nil {
			port = 8080
		}
		p.Serves, p.Ports, p.Endpoints = true, []int32{int32(port)}, &nettest{}
	}
	agnhostPrograms["grpc-health-checking"] = func(p *Program, options map[string]string) {
		number := func(option string, otherwise int) int {
			if n, err := strconv.Atoi(options[option]); err == nil {
				return n
			}
			return otherwise
		}
		g := &grpcHealth{port: int32(number("port", 5000)), unhealthyAfter: number("delay-unhealthy-sec", -1)}
		p.Serves, p.Ports, p.Endpoints = true, []int32{g.port, int32(number("http-port", 8080))}, g
	}
	agnhostPrograms["guestbook"] = newGuestbook
	agnhostPrograms["logs-generator"] = func(p *Program, _ map[string]string) { p.Says, p.Line = nil, requestLine }
}

// porter is "agnhost porter": for each variable SERVE_PORT_N, SERVE_TCP_PORT_N, SERVE_TLS_PORT_N or SERVE_UDP_PORT_N, it answers with its value
// at port N. Upstream: test/images/agnhost/porter/porter.go.
type porter struct {
	asJSON        bool
	tcp, tls, udp map[int32]string
}

// begin reads the variables.
func (s *porter) begin(in *Inside, p *Program) {
	s.tcp, s.tls, s.udp = map[int32]string{}, map[int32]string{}, map[int32]string{}
	for _, v := range in.container.Config.Env {
		for prefix, values := range map[string]map[int32]string{ // order: a variable has one of the prefixes
			"SERVE_PORT_": s.tcp, "SERVE_TCP_PORT_": s.tcp, "SERVE_TLS_PORT_": s.tls, "SERVE_UDP_PORT_": s.udp} {
			number, has := strings.CutPrefix(v.Name, prefix)
			port, err := strconv.ParseInt(number, 10, 32)
			if !has || err != nil {
				continue
			}
			if values[int32(port)] = v.Value; prefix != "SERVE_UDP_PORT_" {
				p.Ports = append(p.Ports, int32(port))
			}
		}
	}
	slices.Sort(p.Ports)
	p.Serves = len(p.Ports)+len(s.udp) > 0
}

func (s *porter) hears(protocol string, port int32) bool {
	_, has := s.udp[port]
	return protocol == "udp" && has
}

func (s *porter) serve(in *Inside, request Request, done func(Response)) {
	u := parseURL(request.URL)
	if u.scheme == "udp" {
		done(Response{Body: s.udp[u.port]})
		return
	}
	body, has := s.tcp[u.port]
	secret, tls := s.tls[u.port]
	switch {
	case tls && u.scheme != "https":
		done(Response{Status: 400, Body: "Client sent an HTTP request to an HTTPS server.\n"})
		return
	case tls:
		body = secret
	case !has:
		done(Response{Failure: Refused}) // the Pod names the port, and nobody listens
		return
	case u.scheme == "https":
		done(Response{Failure: "http: server gave HTTP response to HTTPS client"})
		return
	}
	if s.asJSON {
		method := request.Method
		if method == "" {
			method = "GET"
		}
		text, _ := json.Marshal(struct{ Method, Body string }{method, body})
		body = string(text)
	}
	done(Response{Status: 200, Body: body})
}

// nettest is "agnhost nettest": it remembers who has written to it. It contacts nobody itself: the Service of its peers, if there is one, it does not
// look for. Upstream: test/images/agnhost/nettest/nettest.go.
type nettest struct {
	received map[string]int
	errors   []string
}

func (*nettest) hears(string, int32) bool { return false }

func (n *nettest) begin(*Inside, *Program) { n.received, n.errors = nil, nil }

func (n *nettest) serve(in *Inside, request Request, done func(Response)) {
	target, err := url.Parse(parseURL(request.URL).path)
	if err != nil {
		done(httpError(err.Error()))
		return
	}
	host := in.sandbox.hostname()
	switch target.Path {
	case "/quit":
		in.end(0, done)
	case "/read":
		text, _ := json.MarshalIndent(struct {
			Hostname             string
			Sent, Received       map[string]int
			Errors, Log          []string
			StillContactingPeers bool
		}{Hostname: host, Received: n.received, Errors: n.errors, StillContactingPeers: true}, "", "\t")
		done(Response{Status: 200, Body: string(text)})
	case "/status":
		done(Response{Status: 200, Body: "running"})
	case "/write":
		var post struct{ Source, Dest string }
		if err := json.Unmarshal([]byte(request.Body), &post); err != nil {
			n.errors = append(n.errors, err.Error())
		}
		if post.Source == "" {
			n.errors = append(n.errors, host+": Got request with no source")
		} else {
			if n.received == nil {
				n.received = map[string]int{}
			}
			n.received[post.Source]++
		}
		text, _ := json.Marshal(struct{ Hostname string }{host})
		done(Response{Status: 200, Body: string(text) + "\n"})
	default:
		done(Response{Status: 404, Body: "404 page not found\n"})
	}
}

// grpcHealth is "agnhost grpc-health-checking": at its port, a check is a request here, which 200 answers for SERVING and 503 for NOT_SERVING; at the
// other one it is told what to say. Upstream: test/images/agnhost/grpc-health-checking/grpc-health-checking.go.
type grpcHealth struct {
	port           int32
	unhealthyAfter int   // seconds; negative for never
	forced         *bool // serves or not, since it was told so
}

func (*grpcHealth) hears(string, int32) bool { return false }

func (g *grpcHealth) begin(*Inside, *Program) { g.forced = nil }

func (g *grpcHealth) serve(in *Inside, request Request, done func(Response)) {
	age := in.runtime.kernel.Elapsed() - in.task.began
	if u := parseURL(request.URL); u.port != g.port {
		serves := u.path == "/make-serving"
		if !serves && u.path != "/make-not-serving" {
			done(Response{Status: 404, Body: "404 page not found\n"})
			return
		}
		g.forced = &serves
		in.logs("Mark as %s", map[bool]string{true: "healthy", false: "unhealthy"}[serves])
		done(Response{Status: 200, Body: age.String()})
		return
	}
	in.logs("Serving the Check request for health check, started at %v", in.runtime.kernel.Time().Add(-age))
	if g.forced != nil && !*g.forced || g.unhealthyAfter >= 0 && age >= time.Duration(g.unhealthyAfter)*time.Second {
		done(Response{Status: 503})
		return
	}
	done(Response{Status: 200})
}

// requestLine is what "agnhost logs-generator" logs (to standard error there). Upstream: test/images/agnhost/logs-generator/logs_generator.go, generateLogLine.
func requestLine(now time.Time, n int, r *sim.Rand) string {
	methods, namespaces := []string{"GET", "POST", "PUT"}, []string{"kube-system", "default", "ns"}
	return fmt.Sprintf("I%s       1 logs_generator.go:78] %d %s /api/v1/namespaces/%s/pods/%s %d", now.Format("0102 15:04:05.000000"), n,
		methods[r.IntN(len(methods))], namespaces[r.IntN(len(namespaces))], r.Suffix(3+r.IntN(2)), 200+r.IntN(400))
}
