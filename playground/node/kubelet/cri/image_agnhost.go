package cri

import (
	"strconv"
	"time"
)

// agnhost is the image of upstream's end-to-end tests: its first argument says
// what it does. Upstream: test/images/agnhost.
var agnhost = Behaviour{
	Images: []string{"agnhost"}, SizeBytes: 53477376, Entrypoint: []string{"/agnhost"}, Cmd: []string{"pause"}, Memory: 8 << 20,
	Files: map[string]string{"/localhost.crt": "-----BEGIN CERTIFICATE-----\nno TLS is spoken in this cluster\n-----END CERTIFICATE-----\n"},
	Read: func(argv []string) (Program, bool) {
		if !isAgnhost(argv[0]) || len(argv) < 2 {
			return Program{}, false
		}
		if agnhostEnds(argv[1]) {
			return Program{script: single(argv)}, true
		}
		options := flags(argv[2:])
		p := Program{Forever: true, CPU: milli}
		switch argv[1] {
		case "netexec":
			p.listens(options, "http-port", "8080")
			p.LogsRequests = true
			p.Says = []string{"Started HTTP server on port " + strconv.Itoa(int(p.Ports[0]))}
			if newNetexec != nil {
				newNetexec(&p, options)
			}
			if seconds, err := strconv.Atoi(options["delay-shutdown"]); err == nil {
				p.Stops = time.Duration(seconds) * time.Second
			}
		case "test-webserver":
			p.listens(options, "port", "80")
			p.Root = "/"
		case "pause":
			p.Says = []string{"Paused"}
		case "serve-hostname":
			p.listens(options, "port", "9376")
		case "liveness":
			p.listens(options, "port", "8080")
			p.Breaks = 10 * time.Second
		case "logs-generator":
			p = Program{Says: []string{"GET /api/v1/namespaces/default/pods 200"}, LogEvery: time.Second}
			total, err := strconv.Atoi(options["log-lines-total"])
			if p.Forever = err != nil || total < 1; !p.Forever {
				d, err := time.ParseDuration(options["run-duration"])
				if err != nil || d <= 0 {
					d = time.Duration(total) * time.Second
				}
				p.Runs, p.LogEvery = d, d/time.Duration(total)
			}
		}
		if more := agnhostPrograms[argv[1]]; more != nil {
			more(&p, options)
		}
		return p, true
	},
}

// agnhostPrograms are subcommands that not every build has as they are, by their names.
var agnhostPrograms = map[string]func(p *Program, options map[string]string){}

// newNetexec has "agnhost netexec" answer as it does, in builds that have that; nil is as all servers do.
var newNetexec func(p *Program, options map[string]string)

// liveness answers with 200 for ten seconds and with 500 after that.
var liveness = Behaviour{
	Images: []string{"liveness"}, SizeBytes: 5242880, Entrypoint: []string{"/server"}, Memory: 4 << 20, Ports: []int32{8080},
	Read: func(argv []string) (Program, bool) {
		return Program{Forever: true, Serves: true, Ports: []int32{8080}, Breaks: 10 * time.Second, CPU: milli}, base(argv[0]) == "server"
	},
}

// isAgnhost tells whether a program is agnhost, which the image has under a second name, too.
func isAgnhost(path string) bool { return base(path) == "agnhost" || base(path) == "agnhost-2" }

// listens has it serve on the port of an option.
func (p *Program) listens(options map[string]string, option, port string) {
	if v, ok := options[option]; ok {
		port = v
	}
	if n, err := strconv.ParseInt(port, 10, 32); err == nil {
		p.Serves, p.Ports = true, []int32{int32(n)}
	}
}

// agnhostEnds tells whether a subcommand is one of agnhostCommand's.
func agnhostEnds(name string) bool {
	switch name {
	case "entrypoint-tester", "mounttest", "dns-suffix", "dns-server-list", "etc-hosts":
		return true
	}
	return false
}
