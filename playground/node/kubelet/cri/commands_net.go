package cri

import (
	"strconv"
	"strings"
	"time"
)

// wget and curl speak as busybox' and curl's own do.

func wget(x *shell, argv []string) int32 {
	timeout, quiet, output, r := 60*time.Second, false, "", Request{}
	for i := 1; i < len(argv); i++ {
		a := argv[i]
		switch {
		case strings.HasPrefix(a, "--timeout="):
			timeout, _ = parseSeconds(strings.TrimPrefix(a, "--timeout="))
		case a == "-T" && i+1 < len(argv):
			i++
			timeout, _ = parseSeconds(argv[i])
		case strings.HasPrefix(a, "-T"):
			timeout, _ = parseSeconds(a[2:])
		case a == "--spider":
			output = "/dev/null"
		case strings.HasPrefix(a, "--post-data="):
			r.Method, r.Body = "POST", strings.TrimPrefix(a, "--post-data=")
		case strings.HasPrefix(a, "--"):
		case strings.HasPrefix(a, "-"):
			quiet = quiet || strings.Contains(a, "q")
			if o := strings.IndexByte(a, 'O'); o >= 0 {
				if output = a[o+1:]; output == "" && i+1 < len(argv) {
					i++
					output = argv[i]
				}
			}
		default:
			r.URL = a
		}
	}
	u := parseURL(r.URL)
	response := x.request(r, timeout)
	if !quiet && response.Address != "" {
		x.out("stderr", "Connecting to "+u.host+" ("+response.Address+")")
	}
	switch {
	case response.Failure == NotResolved:
		return x.complain("wget: bad address '" + u.host + "'")
	case response.Failure == Refused:
		return x.complain("wget: can't connect to remote host (" + host(response.Address) + "): Connection refused")
	case response.Failure == Reset:
		return x.complain("wget: error getting response: Connection reset by peer")
	case response.Failure != "":
		return x.complain("wget: download timed out")
	case response.Status >= 400:
		return x.complain("wget: server returned error: HTTP/1.1 " + strconv.Itoa(response.Status) + " " + statusText(response.Status))
	}
	switch output {
	case "-", "":
		x.prints(response.Body)
	case "/dev/null":
	default:
		x.write(clean(x.dir, output), response.Body, false)
	}
	return 0
}

func curl(x *shell, argv []string) int32 {
	timeout, fail, silent, output, format, url, method := 120*time.Second, false, false, "", "", "", ""
	for i := 1; i < len(argv); i++ {
		a := argv[i]
		next := func() string {
			if i+1 < len(argv) {
				i++
				return argv[i]
			}
			return ""
		}
		switch {
		case a == "-m" || a == "--max-time" || a == "--connect-timeout":
			timeout, _ = parseSeconds(next())
		case a == "-o" || a == "--output":
			output = next()
		case a == "-w" || a == "--write-out":
			format = next()
		case a == "-X" || a == "--request":
			method = next()
		case a == "-H" || a == "-d" || a == "--retry" || a == "-A":
			next()
		case a == "--fail":
			fail = true
		case a == "--silent":
			silent = true
		case strings.HasPrefix(a, "--"):
		case strings.HasPrefix(a, "-"):
			fail, silent = fail || strings.Contains(a, "f"), silent || strings.Contains(a, "s") && !strings.Contains(a, "S")
			switch a[len(a)-1] { // the last letter of several may take a value
			case 'o':
				output = next()
			case 'm':
				timeout, _ = parseSeconds(next())
			case 'w':
				format = next()
			}
		default:
			url = a
		}
	}
	u := parseURL(url)
	began := x.proc.Now()
	response := x.request(Request{URL: url, Method: method}, timeout)
	took := strconv.FormatInt(int64((x.proc.Now()-began)/time.Millisecond), 10)
	failed := func(code int32, text string) int32 {
		if !silent {
			x.out("stderr", "curl: ("+strconv.Itoa(int(code))+") "+text)
		}
		return code
	}
	port := strconv.Itoa(int(u.port))
	switch {
	case response.Failure == NotResolved:
		return failed(6, "Could not resolve host: "+u.host)
	case response.Failure == Refused:
		return failed(7, "Failed to connect to "+u.host+" port "+port+" after "+took+" ms: Could not connect to server")
	case response.Failure == Reset:
		return failed(56, "Recv failure: Connection reset by peer")
	case response.Failure != "":
		return failed(28, "Connection timed out after "+took+" milliseconds")
	case fail && response.Status >= 400:
		return failed(22, "The requested URL returned error: "+strconv.Itoa(response.Status))
	}
	switch output {
	case "":
		x.prints(response.Body)
	case "/dev/null", "-":
	default:
		x.write(clean(x.dir, output), response.Body, false)
	}
	if format != "" {
		x.out("stdout", escapes.Replace(strings.NewReplacer("%{http_code}", strconv.Itoa(response.Status), "%{time_total}", took+"ms").Replace(format)))
	}
	return 0
}

// prints writes what was answered, if that is anything.
func (x *shell) prints(body string) {
	if body != "" {
		x.out("stdout", body)
	}
}

func nslookup(x *shell, argv []string) int32 {
	if len(argv) < 2 {
		return 1
	}
	name := argv[1]
	var addresses []string
	if x.runtime.dialer != nil {
		x.runtime.wait(x.proc, 5*time.Second, func(done func(Response)) {
			x.runtime.dialer.Resolve(x.runtime.caller(x.sandbox, x.container.Config.Name), name, func(found []string) {
				addresses = found
				done(Response{})
			})
		})
	}
	if len(addresses) == 0 {
		x.say("** server can't find " + name + ": NXDOMAIN")
		return 1
	}
	for _, a := range addresses {
		x.say("Name:\t" + name + "\nAddress: " + a)
	}
	return 0
}

// netcat opens a connection (-z HOST PORT), or listens.
func netcat(x *shell, argv []string) int32 {
	timeout, udp, scan := 10*time.Second, false, false
	var rest []string
	for i := 1; i < len(argv); i++ {
		switch a := argv[i]; {
		case a == "-w" && i+1 < len(argv):
			i++
			timeout, _ = parseSeconds(argv[i])
		case strings.HasPrefix(a, "-") && strings.Contains(a, "l"):
			if x.task != nil {
				x.status = x.runtime.execute(x.proc, x.container, x.sandbox, x.task, Program{Forever: true, Serves: true})
				x.over = x.task.dead || x.task.stopped
				return x.status
			}
		case !strings.HasPrefix(a, "-"):
			rest = append(rest, a)
		default:
			udp, scan = udp || strings.Contains(a, "u"), scan || strings.Contains(a, "z")
		}
	}
	if len(rest) < 2 {
		return 1
	}
	if udp && sendPacket != nil {
		return sendPacket(x, rest[0], rest[1], timeout, scan)
	}
	address := rest[0] + ":" + rest[1]
	if x.request(Request{URL: "tcp://" + address}, timeout).Failure != "" {
		return x.complain("nc: " + rest[0] + " (" + address + "): Connection refused")
	}
	if x.input() == "" {
		return 0
	}
	// What servers here speak is HTTP: something else is no request to them.
	line, _, _ := strings.Cut(x.input(), "\n")
	method, path, ok := strings.Cut(strings.TrimSpace(line), " ")
	if path, _, _ = strings.Cut(path, " "); !ok || !strings.HasPrefix(path, "/") {
		return x.say("HTTP/1.1 400 Bad Request\nContent-Type: text/plain; charset=utf-8\nConnection: close\n\n400 Bad Request")
	}
	response := x.request(Request{Method: method, URL: "http://" + address + path}, timeout)
	if response.Failure != "" {
		return 1
	}
	return x.say("HTTP/1.1 " + strconv.Itoa(response.Status) + " " + statusText(response.Status) + "\nConnection: close\n\n" + response.Body)
}

// sendPacket is nc -u, in builds that have it.
var sendPacket func(x *shell, host, port string, timeout time.Duration, scan bool) int32

func host(address string) string {
	if i := strings.LastIndexByte(address, ':'); i >= 0 {
		return address[:i]
	}
	return address
}

func statusText(code int) string {
	switch code {
	case 200:
		return "OK"
	case 404:
		return "Not Found"
	case 500:
		return "Internal Server Error"
	case 502:
		return "Bad Gateway"
	case 503:
		return "Service Unavailable"
	case 504:
		return "Gateway Timeout"
	}
	return "Error"
}
