//go:build !js || cel

package cri

import (
	"strconv"
	"strings"
	"time"
)

func init() {
	tools["dig"], tools["getent"] = dig, getent
	agnhost.Commands = append(agnhost.Commands, "dig", "getent")
	rareImages = append(rareImages, &glibcDNSTesting)
}

// glibcDNSTesting is the image with which upstream's end-to-end tests resolve names as glibc does. Upstream: test/images/glibc-dns-testing.
var glibcDNSTesting = Behaviour{
	Images: []string{"glibc-dns-testing"}, SizeBytes: 42_000_000, Cmd: []string{"bash"}, Memory: 2 << 20, Commands: []string{"dig", "getent"},
}

// Bounds of dig: how long it waits for an answer, and how often it asks. Upstream: bind9, dig's +timeout and +tries.
const digTimeout, digTries = 5 * time.Second, 3

// query is what dig was asked to find out.
type query struct {
	name, qtype, server string
	tcp, short, search  bool
	// What of the message is printed.
	comments, question, answer, stats bool
}

var digTypes = map[string]bool{"A": true, "AAAA": true, "ANY": true, "CNAME": true, "MX": true, "NS": true, "PTR": true, "SOA": true, "SRV": true, "TXT": true}

// digQuery reads a command line of dig.
func digQuery(argv []string) query {
	q := query{name: ".", qtype: "A", comments: true, question: true, answer: true, stats: true}
	for i := 1; i < len(argv); i++ {
		a := argv[i]
		switch {
		case strings.HasPrefix(a, "@"):
			q.server = a[1:]
		case strings.HasPrefix(a, "+"):
			name, yes := a[1:], true
			if rest, no := strings.CutPrefix(name, "no"); no {
				name, yes = rest, false
			}
			switch name {
			case "tcp", "vc":
				q.tcp = yes
			case "short":
				q.short = yes
			case "search":
				q.search = yes
			case "all":
				q.comments, q.question, q.answer, q.stats = yes, yes, yes, yes
			case "answer":
				q.answer = yes
			case "comments":
				q.comments = yes
			case "question":
				q.question = yes
			case "stats":
				q.stats = yes
			}
		case a == "-x" && i+1 < len(argv):
			i++
			parts := strings.Split(argv[i], ".")
			q.name, q.qtype = "", "PTR"
			for _, p := range parts {
				q.name = p + "." + q.name
			}
			q.name += "in-addr.arpa."
		case a == "-t" && i+1 < len(argv):
			i++
			q.qtype = strings.ToUpper(argv[i])
		case strings.HasPrefix(a, "-"):
		case digTypes[strings.ToUpper(a)]:
			q.qtype = strings.ToUpper(a)
		default:
			q.name = a
		}
	}
	return q
}

// names are those that are asked for, in order: with +search, what resolv.conf says.
func (q *query) names(c *DNSConfig) []string {
	name, absolute := strings.CutSuffix(q.name, ".")
	if absolute || !q.search {
		return []string{name}
	}
	ndots := 1
	for _, o := range c.Options {
		if n, ok := strings.CutPrefix(o, "ndots:"); ok {
			ndots, _ = strconv.Atoi(n)
		}
	}
	var out []string
	for _, domain := range c.Searches {
		out = append(out, name+"."+domain)
	}
	if strings.Count(name, ".") >= ndots {
		return append([]string{name}, out...)
	}
	return append(out, name)
}

// dig asks a name server. Upstream: bind9, bin/dig/dig.c, printmessage and short_answer, and dighost.c, recv_done.
func dig(x *shell, argv []string) int32 {
	q, c := digQuery(argv), &x.sandbox.Config.DNS
	server := q.server
	if server == "" && len(c.Servers) > 0 {
		server = c.Servers[0]
	}
	scheme := "udp"
	if q.tcp {
		scheme = "tcp"
	}
	var code, name string
	var records []string
	began := x.proc.Now()
	for _, name = range q.names(c) {
		began = x.proc.Now()
		response := Response{Failure: TimedOut}
		for range digTries {
			if response = x.request(Request{URL: scheme + "://" + server + ":53", Body: q.qtype + " " + name}, digTimeout); response.Failure != TimedOut || x.killed() {
				break
			}
			x.say(";; communications error to " + server + "#53: timed out")
		}
		if response.Failure != "" {
			if response.Failure != TimedOut {
				x.say(";; communications error to " + server + "#53: " + string(response.Failure))
			}
			x.say("\n; <<>> DiG 9.20.15 <<>> " + strings.Join(argv[1:], " ") + "\n;; no servers could be reached")
			return 9
		}
		lines := strings.Split(strings.TrimSuffix(response.Body, "\n"), "\n")
		if code, records = lines[0], lines[1:]; code == "NOERROR" {
			break
		}
	}
	if q.short {
		for _, r := range records {
			x.say(strings.SplitN(r, " ", 5)[4])
		}
		return 0
	}
	q.print(x, argv, name, code, server, records, x.proc.Now()-began)
	return 0
}

func (q *query) print(x *shell, argv []string, name, code, server string, records []string, took time.Duration) {
	if q.comments {
		x.say("\n; <<>> DiG 9.20.15 <<>> " + strings.Join(argv[1:], " ") + "\n;; global options: +cmd\n;; Got answer:")
		x.say(";; ->>HEADER<<- opcode: QUERY, status: " + code + ", id: " + strconv.Itoa(x.runtime.rand.IntN(1<<16)))
		x.say(";; flags: qr aa rd; QUERY: 1, ANSWER: " + strconv.Itoa(len(records)) + ", AUTHORITY: 0, ADDITIONAL: 0\n")
	}
	if q.question {
		if q.comments {
			x.say(";; QUESTION SECTION:")
		}
		x.say(columns(";"+name+".", "", "IN", q.qtype, "") + "\n")
	}
	if q.answer && len(records) > 0 {
		if q.comments {
			x.say(";; ANSWER SECTION:")
		}
		for _, r := range records {
			x.say(columns(strings.SplitN(r, " ", 5)...))
		}
		if q.comments {
			x.say("")
		}
	}
	if q.stats {
		protocol := "UDP"
		if q.tcp {
			protocol = "TCP"
		}
		x.say(";; Query time: " + strconv.FormatInt(int64(took/time.Millisecond), 10) + " msec\n;; SERVER: " + server + "#53(" + server + ") (" + protocol +
			")\n;; WHEN: " + x.proc.Time().Format("Mon Jan 02 15:04:05 UTC 2006") + "\n")
	}
}

// columns puts the fields of a record where dig has them: at 24, 32, 40 and 48, with tabs, or behind a space where that is passed.
// Upstream: bind9, lib/dns/masterdump.c, dns_master_style_debug.
func columns(fields ...string) string {
	var b strings.Builder
	at := 0
	for i, f := range fields {
		if i > 0 && f != "" {
			column := 16 + 8*i
			if at >= column {
				b.WriteByte(' ')
				at++
			}
			for at < column {
				b.WriteByte('\t')
				at += 8 - at%8
			}
		}
		b.WriteString(f)
		at += len(f)
	}
	return b.String()
}

// getent looks names up as programs do: in /etc/hosts, then in the DNS. Upstream: glibc, nss/getent.c, hosts_keys.
func getent(x *shell, argv []string) int32 {
	if len(argv) < 3 || argv[1] != "hosts" {
		x.out("stderr", "Unknown database: "+strings.Join(argv[min(1, len(argv)):min(2, len(argv))], ""))
		return 1
	}
	code := int32(0)
	for _, name := range argv[2:] {
		if !x.hosts(name) {
			code = 2
		}
	}
	return code
}

// hosts prints a name's addresses. It tells false if there are none.
func (x *shell) hosts(name string) bool {
	show := func(ip string, names []string) {
		x.say(ip + strings.Repeat(" ", max(1, 16-len(ip))) + strings.Join(names, " "))
	}
	text, _ := x.read(x.container, "/etc/hosts")
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		if fields := strings.Fields(line); len(fields) > 1 {
			for _, f := range fields {
				if f == name {
					show(fields[0], fields[1:])
					return true
				}
			}
		}
	}
	var addresses []string
	if x.runtime.dialer != nil {
		x.runtime.wait(x.proc, digTimeout, func(done func(Response)) {
			x.runtime.dialer.Resolve(x.runtime.caller(x.sandbox, x.container.Config.Name), name, func(found []string) {
				addresses = found
				done(Response{})
			})
		})
	}
	for _, ip := range addresses {
		show(ip, []string{name})
	}
	return len(addresses) > 0
}
