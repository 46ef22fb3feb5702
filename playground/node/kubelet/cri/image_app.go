package cri

import (
	"strconv"
	"strings"
	"time"

	"kubewalk/playground/api/resource"
)

// app is an image of our own, for demos: its flags say how it behaves. A flag
// that it doesn't know ends it with code 2.
//
//	--port=8080              listens there (repeatable as --port=80,443); without it, on every port
//	--latency=300ms          answers that late
//	--ready-after=10s        refuses connections until then
//	--break-after=1m         answers with 500 from then on
//	--crash-after=30s        ends then, with --exit-code (1)
//	--run=10s                ends then, with --exit-code (0)
//	--memory=64Mi            uses that much
//	--leak=5Mi               and that much more each second
//	--cpu=250m               uses that much of a CPU
//	--request-cpu=20ms       and that much of its time for each request
//	--stop-after=5s          takes that long to stop
//	--ignore-sigterm         doesn't stop before it is killed
//	--log=TEXT, --log-every=1s  what it logs at its start, and how often again
var app = Behaviour{
	Images: []string{"kubewalk.dev/app", "docker.io/kubewalk/app"}, SizeBytes: 12582912, Entrypoint: []string{"/app"}, Memory: 10 << 20,
	Read: func(argv []string) (Program, bool) {
		if base(argv[0]) != "app" {
			return Program{}, false
		}
		p := Program{Forever: true, Serves: true, CPU: 2 * milli, LogsRequests: true}
		code, coded := int64(0), false
		for _, arg := range argv[1:] {
			name, value, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
			d, _ := time.ParseDuration(value)
			var bytes int64
			if q, err := resource.ParseQuantity(value); err == nil {
				bytes = q.Value()
				if name == "cpu" {
					p.CPU = q.MilliValue() * milli
				}
			}
			switch name {
			case "port":
				for _, one := range strings.Split(value, ",") {
					if n, err := strconv.ParseInt(one, 10, 32); err == nil {
						p.Ports = append(p.Ports, int32(n))
					}
				}
			case "latency":
				p.Latency = d
			case "ready-after":
				p.Answers = d
			case "break-after":
				p.Breaks = d
			case "crash-after", "run":
				p.Forever, p.Runs = false, d
				if name == "crash-after" && !coded {
					code = 1
				}
			case "exit-code":
				code, _ = strconv.ParseInt(value, 10, 32)
				coded = true
			case "memory":
				p.Memory = bytes
			case "leak":
				p.Leak = bytes
			case "cpu":
			case "request-cpu":
				p.RequestCPU = d
			case "stop-after":
				p.Stops = d
			case "ignore-sigterm":
				p.IgnoresSIGTERM = true
			case "log":
				p.Says = append(p.Says, value)
			case "log-every":
				p.LogEvery = d
			default:
				return Program{ExitCode: 2, Says: []string{"flag provided but not defined: " + arg}}, true
			}
		}
		p.ExitCode = int32(code)
		return p, true
	},
}
