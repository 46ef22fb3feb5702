//go:build !js || cel

package cri

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"kubewalk/playground/sim"
)

func init() {
	newNetexec = func(p *Program, options map[string]string) {
		port := func(option string, otherwise int) int32 {
			if n, err := strconv.ParseInt(options[option], 10, 32); err == nil {
				return int32(n)
			}
			return int32(otherwise)
		}
		n := netexec{http: p.Ports[0], udp: port("udp-port", 8081), sctp: port("sctp-port", -1), override: options["http-override"]}
		if n.udp >= 0 {
			p.Says = append(p.Says, fmt.Sprintf("Started UDP server on port  %d", n.udp))
		}
		if n.sctp >= 0 {
			p.Says = append(p.Says, "Started SCTP server")
		}
		p.LogsRequests, p.Endpoints = false, n // it logs them itself
	}
	sendPacket = netcatUDP
}

// answerCosts is what an answer counts for beside its bytes, of which it may have none.
const answerCosts = 64

// netexec is "agnhost netexec": its ports (-1 for none), and the path that it answers for whatever it is asked.
// Upstream: test/images/agnhost/netexec/netexec.go.
//
// Absent: /upload, what a form holds in a request's body, and the field Location of an answer to /redirect.
type netexec struct {
	http, udp, sctp int32
	override        string
}

func (n netexec) hears(protocol string, port int32) bool {
	return port > 0 && (protocol == "udp" && port == n.udp || protocol == "sctp" && port == n.sctp)
}

// answerTimeout is how long it waits for those that it asks itself. Upstream: createHTTPClient, dialUDP and dialSCTP.
const answerTimeout = 5 * time.Second

// ownTime is what a request of its own takes it at least: somebody may tell it to ask itself without end.
const ownTime = time.Millisecond

func (n netexec) serve(in *Inside, request Request, done func(Response)) {
	if protocol := protocolOf(request.URL); protocol != "tcp" {
		n.packet(in, protocol, request, done)
		return
	}
	path := parseURL(request.URL).path
	if n.override != "" {
		path = n.override
	}
	target, err := url.Parse(path)
	if err != nil {
		done(httpError(err.Error()))
		return
	}
	query := target.Query()
	say := func(status int, text string) { done(Response{Status: status, Body: text}) }
	switch target.Path {
	case "/clientip":
		in.logs("GET /clientip")
		say(200, in.client(request))
	case "/serverport":
		in.logs("GET /serverport")
		say(200, strconv.Itoa(int(n.http)))
	case "/hostname", "/hostName":
		in.logs("GET %s", target.Path)
		say(200, in.sandbox.hostname())
	case "/header":
		say(200, headerOf(in, request, query.Get("key")))
	case "/dial":
		n.dial(in, query, done)
	case "/echo":
		in.logs("GET /echo?msg=%s&code=%s", query.Get("msg"), query.Get("code"))
		if status, why := statusOf(query, 200); why != "" {
			say(200, why)
		} else {
			say(status, query.Get("msg"))
		}
	case "/exit":
		exitEndpoint(in, query, done)
	case "/shutdown":
		in.logs("GET /shutdown")
		in.end(0, done)
	case "/healthz":
		in.logs("GET /healthz")
		say(n.ready(), "")
	case "/readyz":
		in.logs("GET /readyz")
		switch status := n.ready(); {
		case in.task.signal == sigterm:
			say(503, "shutting down")
		case status == 200:
			say(status, "ok")
		default:
			say(status, "")
		}
	case "/redirect":
		method := request.Method
		if method == "" {
			method = "GET"
		}
		in.logs("%s /redirect?msg=%s&code=%s", method, query.Get("location"), query.Get("code"))
		if status, why := statusOf(query, 302); why != "" {
			say(200, why)
		} else {
			say(status, "<a href=\""+query.Get("location")+"\">"+redirects[status]+"</a>.\n\n")
		}
	case "/shell":
		command := query.Get("shellCommand")
		if command == "" {
			command = query.Get("cmd")
		}
		in.logs("GET /shell?cmd=%s", command)
		in.runtime.component.Go("netexec/shell", func(p *sim.Proc) { say(200, in.shell(p, command)) })
	default:
		in.logs("GET /")
		now := in.runtime.kernel.Time()
		say(200, fmt.Sprintf("NOW: %s m=+%.9f", now.Format("2006-01-02 15:04:05.999999999 -0700 MST"), (in.runtime.kernel.Elapsed()-in.task.began).Seconds()))
	}
}

// redirects are what /redirect says of its codes. Upstream: net/http.StatusText.
var redirects = map[int]string{301: "Moved Permanently", 302: "Found", 303: "See Other", 307: "Temporary Redirect", 308: "Permanent Redirect"}

// ready is 200 once a server of packets is there; whoever has none is never ready. Upstream: healthzHandler, serverReady.
func (n netexec) ready() int {
	if n.udp < 0 && n.sctp < 0 {
		return 412
	}
	return 200
}

// packet answers one of UDP or SCTP. Upstream: startUDPServer and startSCTPServer.
func (n netexec) packet(in *Inside, protocol string, request Request, done func(Response)) {
	name, port := strings.ToUpper(protocol), n.udp
	if protocol == "sctp" {
		port = n.sctp
	}
	reply := func(text string) { done(Response{Body: text}) }
	received := strings.ToLower(strings.TrimSpace(request.Body))
	text, echoes := strings.CutPrefix(received, "echo ")
	switch {
	case received == "hostname":
		in.logs("Sending %s hostName response", map[string]string{"udp": "udp", "sctp": "SCTP"}[protocol])
		reply(in.sandbox.hostname())
	case echoes:
		in.logs("Echoing %s to %s client %s", text, name, in.client(request))
		reply(text)
	case received == "clientip":
		client := in.client(request)
		in.logs("Sending clientip back to %s client %s", name, client)
		reply(client)
	case received == "serverport":
		in.logs("Sending server port to %s client %d", name, port)
		reply(strconv.Itoa(int(port)))
	default:
		if received != "" {
			in.logs("Unknown %s command received from %s: %s", name, in.client(request), received)
		}
		if protocol == "sctp" {
			reply("") // it closes the connection
		}
	}
}

// dial asks somebody else, as often as it is told to, and answers with what that came to. Upstream: dialHandler.
func (n netexec) dial(in *Inside, query url.Values, done func(Response)) {
	host, port, request, protocol, times := query.Get("host"), query.Get("port"), query.Get("request"), query.Get("protocol"), query.Get("tries")
	in.logs("GET /dial?host=%s&protocol=%s&port=%s&request=%s&tries=%s", host, protocol, port, request, times)
	tries := 1
	if times != "" {
		var err error
		if tries, err = strconv.Atoi(times); err != nil {
			done(httpError("tries parameter is invalid. " + err.Error()))
			return
		}
	}
	if request == "" {
		done(httpError("request parameter not specified. <nil>"))
		return
	}
	dialer, ok := dialers[strings.ToLower(protocol)]
	if !ok {
		done(httpError("unsupported protocol. " + protocol))
		return
	}
	in.runtime.component.Go("netexec/dial", func(p *sim.Proc) {
		address, why := in.resolve(p, host, port)
		if why != "" {
			done(httpError("host and/or port param are invalid. " + why))
			return
		}
		var failures, responses []string
		last, size := "", 0
		for range tries {
			if p.Sleep(ownTime); in.runtime.tasks[in.container.ID] != in.task || size > mostWritten {
				break // with nobody to answer, or with more than somebody reads
			}
			text, failure := dialer(in, p, request, address)
			size += answerCosts + len(text) + len(failure)
			if last = text; failure != "" {
				failures = append(failures, failure)
			} else {
				responses = append(responses, text)
			}
		}
		output := map[string][]string{}
		if last != "" {
			output["responses"] = responses
		}
		if len(failures) > 0 {
			output["errors"] = failures
		}
		text, _ := json.Marshal(output)
		done(Response{Status: 200, Body: string(text)})
	})
}

// resolve makes an address and a port of what a request names. Upstream: net.ResolveTCPAddr.
func (i *Inside) resolve(p *sim.Proc, host, port string) (address, why string) {
	switch n, err := strconv.Atoi(port); {
	case port == "":
		port = "0"
	case err != nil:
		return "", "lookup tcp/" + port + ": unknown port"
	case n < 0 || n > 65535:
		return "", "address " + port + ": invalid port"
	}
	if host == "" || isAddress(host) {
		return host + ":" + port, ""
	}
	found := ""
	if i.runtime.dialer != nil && host != "localhost" {
		i.runtime.wait(p, 2*answerTimeout, func(done func(Response)) {
			i.runtime.dialer.Resolve(i.runtime.caller(i.sandbox, i.container.Config.Name), host, func(addresses []string) {
				if len(addresses) > 0 {
					found = addresses[0]
				}
				done(Response{})
			})
		})
	} else if host == "localhost" {
		found = "127.0.0.1"
	}
	if found == "" {
		return "", "lookup " + host + ": no such host"
	}
	return found + ":" + port, ""
}

// dialers send one request each, by the names of protocols, and return the answer or why there is none.
var dialers = map[string]func(in *Inside, p *sim.Proc, request, address string) (text, failure string){
	"": (*Inside).dialHTTP, "http": (*Inside).dialHTTP, "udp": (*Inside).dialUDP, "sctp": (*Inside).dialSCTP,
}

// ask sends a request from the container. To no host is to itself.
func (i *Inside) ask(p *sim.Proc, scheme, address, path, body string, timeout time.Duration) Response {
	if strings.HasPrefix(address, ":") {
		address = "127.0.0.1" + address
	}
	return i.runtime.request(p, i.sandbox, i.container.Config.Name, Request{URL: scheme + "://" + address + path, Body: body}, timeout)
}

func (i *Inside) dialHTTP(p *sim.Proc, request, address string) (text, failure string) {
	switch response := i.ask(p, "http", address, "/"+request, "", answerTimeout); response.Failure {
	case "":
		return response.Body, ""
	case Refused:
		failure = "dial tcp " + address + ": connect: connection refused"
	case TimedOut:
		failure = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
	case Reset:
		failure = "EOF"
	default:
		failure = string(response.Failure)
	}
	return "", "Get " + strconv.Quote("http://"+address+"/"+request) + ": " + failure
}

func (i *Inside) dialUDP(p *sim.Proc, request, address string) (text, failure string) {
	from := i.sandbox.IP + ":" + strconv.Itoa(i.port())
	response := i.ask(p, "udp", address, "/", request, answerTimeout)
	switch {
	case response.Failure == TimedOut:
		failure = "read udp " + from + "->" + address + ": i/o timeout"
	case response.Failure != "":
		failure = "read udp " + from + "->" + address + ": read: connection refused"
	default:
		return response.Body, ""
	}
	return "", "reading from udp connection failed. err:'" + failure + "'"
}

// sctpTimeout is after how long an association that nobody answers fails. Upstream: Linux' net.sctp.max_init_retransmits.
const sctpTimeout = 127 * time.Second

func (i *Inside) dialSCTP(p *sim.Proc, request, address string) (text, failure string) {
	response := i.ask(p, "sctp", address, "/", request, sctpTimeout)
	switch {
	case response.Failure == TimedOut:
		return "", "sctp dial failed. err:connection timed out"
	case response.Failure != "":
		return "", "sctp dial failed. err:connection refused"
	case response.Body == "":
		return "", "reading from sctp connection failed. err:'EOF'"
	}
	return response.Body, ""
}

// port is where a connection of the container begins: Linux gives out the ports from 32768 on.
func (i *Inside) port() int {
	i.task.connections++
	return 32768 + (i.task.connections-1)%28232
}

// client is who asks, with a port.
func (i *Inside) client(request Request) string { return request.From + ":" + strconv.Itoa(i.port()) }

// logs writes a line as Go's package log does.
func (i *Inside) logs(format string, args ...any) {
	now := i.runtime.kernel.Time()
	i.container.log.write(now, "stderr", now.Format("2006/01/02 15:04:05 ")+fmt.Sprintf(format, args...))
}

// end exits: who asked gets no answer.
func (i *Inside) end(code int32, done func(Response)) {
	i.runtime.component.After(0, func() { i.runtime.crash(i.container, code) })
	done(Response{Failure: Reset})
}

// exitEndpoint ends the program after a while. Upstream: exitHandler.
func exitEndpoint(in *Inside, query url.Values, done func(Response)) {
	text := func(name string) string { return query.Get(name) }
	in.logs("GET /exit?code=%s&timeout=%s&wait=%s", text("code"), text("timeout"), text("wait"))
	var times [2]time.Duration
	for i, name := range []string{"timeout", "wait"} {
		var err error
		if times[i], err = time.ParseDuration(text(name)); err != nil && text(name) != "" {
			done(Response{Status: 200, Body: fmt.Sprintf("argument '%s' must be a valid golang duration or empty, got %q\n", name, text(name))})
			return
		}
	}
	code, err := strconv.ParseInt(text("code"), 10, 32)
	if err != nil && text("code") != "" {
		done(Response{Status: 200, Body: fmt.Sprintf("argument 'code' must be an integer [0-127] or empty, got %q\n", text("code"))})
		return
	}
	in.logs("Will begin shutdown in %s, allowing %s for connections to close, then will exit with %d", times[1], times[0], code)
	in.runtime.component.After(times[1], func() {
		switch {
		case in.runtime.tasks[in.container.ID] != in.task:
			done(Response{Failure: Reset})
		case times[0] == 0:
			in.end(int32(code), done)
		default:
			done(Response{Status: 200})
			in.logs("Graceful shutdown completed with: <nil>")
			in.runtime.component.After(0, func() { in.runtime.crash(in.container, int32(code)) })
		}
	})
}

// shell runs a command in the container. Upstream: shellHandler.
func (i *Inside) shell(p *sim.Proc, command string) string {
	var written strings.Builder
	x := i.runtime.newShell(p, i.container, i.sandbox, nil)
	x.abandon = func() bool { return x.budget.broken || i.runtime.tasks[i.container.ID] != i.task }
	x.out = func(_, text string) {
		if x.step(lines(len(text))); written.Len()+len(text) > mostWritten {
			x.budget.broken = true
			return
		}
		written.WriteString(ended(text))
	}
	x.exec([]string{"/bin/sh", "-c", command})
	output := map[string]string{}
	if written.Len() > 0 {
		output["output"] = written.String()
	}
	if x.status != 0 {
		output["error"] = "exit status " + strconv.Itoa(int(x.status))
	}
	i.logs("Output: %s", output)
	text, _ := json.Marshal(output)
	return string(text)
}

// headerOf is a field of a request's header, or all of them. Upstream: headerHandler.
func headerOf(in *Inside, request Request, key string) string {
	if key == "" {
		in.logs("GET /header")
		all := request.Header
		if all == nil {
			all = map[string][]string{}
		}
		text, _ := json.Marshal(all)
		return string(text)
	}
	in.logs("GET /header?key=%s", key)
	for name, values := range request.Header { // order: names differ in more than case
		if strings.EqualFold(name, key) && len(values) > 0 {
			return values[0]
		}
	}
	return ""
}

// statusOf is the code that a request asks for, or what is wrong with it.
func statusOf(query url.Values, otherwise int) (status int, why string) {
	text := query.Get("code")
	if text == "" {
		return otherwise, ""
	}
	if n, err := strconv.Atoi(text); err == nil {
		return n, ""
	}
	return 200, fmt.Sprintf("argument 'code' must be an integer or empty, got %q\n", text)
}

// httpError is a bad request. Upstream: net/http.Error.
func httpError(why string) Response { return Response{Status: 400, Body: why + "\n"} }

// netcatUDP is nc -u, that of OpenBSD as in agnhost's image: it sends what it reads as one packet, and prints what comes until nothing
// has come for a while (-w). With -z it only looks whether the port is refused.
func netcatUDP(x *shell, host, port string, wait time.Duration, scan bool) int32 {
	text := x.input()
	if scan {
		text = "X"
	}
	if text == "" {
		x.sleep(wait)
		return 0
	}
	response := x.request(Request{URL: "udp://" + host + ":" + port, Body: text}, wait)
	switch {
	case response.Failure == NotResolved:
		return x.complain("nc: getaddrinfo for host \"" + host + "\" port " + port + ": Name does not resolve")
	case response.Failure == "" && !scan:
		x.out("stdout", plain(response.Body))
		x.sleep(wait)
	case scan && response.Failure == Refused:
		return 1
	}
	return 0
}
