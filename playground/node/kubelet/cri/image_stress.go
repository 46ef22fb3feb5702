package cri

import (
	"strconv"
	"time"

	"kubewalk/playground/api/resource"
)

// stress uses what it is told to use: --cpu 2 --vm 1 --vm-bytes 150M --timeout 30s.
var stress = Behaviour{
	Images: []string{"docker.io/polinux/stress", "docker.io/progrium/stress"}, SizeBytes: 4194304, Entrypoint: []string{"stress"},
	Read: func(argv []string) (Program, bool) {
		if base(argv[0]) != "stress" {
			return Program{}, false
		}
		o := flags(argv[1:])
		either := func(long, short string) string {
			if v, ok := o[long]; ok {
				return v
			}
			return o[short]
		}
		p := Program{Forever: true, Says: []string{"stress: info: [1] dispatching hogs"}}
		cpus, _ := strconv.ParseInt(either("cpu", "c"), 10, 32)
		vms, _ := strconv.ParseInt(either("vm", "m"), 10, 32)
		size := bytesOf(o["vm-bytes"], 256<<20)
		p.CPU = (cpus + vms) * 1000 * milli
		if vms > 0 { // it touches its memory within a second
			p.Memory, p.Leak, p.MemoryMax = 1<<20, vms*size, vms*size
		}
		if d, ok := parseSeconds(either("timeout", "t")); ok && d > 0 {
			p.Forever, p.Runs = false, d
		}
		return p, true
	},
}

// vishStress is the image that the documentation's tasks use:
// -cpus 2 -mem-total 150Mi -mem-alloc-size 10Mi -mem-alloc-sleep 1s.
var vishStress = Behaviour{
	Images: []string{"docker.io/vish/stress"}, SizeBytes: 3145728, Entrypoint: []string{"/stress"}, shellless: true,
	Read: func(argv []string) (Program, bool) {
		o := flags(argv[1:])
		p := Program{Forever: true, Memory: 1 << 20}
		cpus, _ := strconv.ParseInt(o["cpus"], 10, 32)
		p.CPU = cpus * 1000 * milli
		if total := bytesOf(o["mem-total"], 0); total > 0 {
			step, every := bytesOf(o["mem-alloc-size"], 4<<10), time.Millisecond
			if d, err := time.ParseDuration(o["mem-alloc-sleep"]); err == nil && d > 0 {
				every = d
			}
			p.MemoryMax = total
			p.Leak = max(step*int64(time.Second/time.Millisecond)/max(int64(every/time.Millisecond), 1), 1)
		}
		return p, true
	},
}

// hpaExample spends a tenth of a second of a CPU on each request.
// Upstream: kubernetes/website, the image of the HorizontalPodAutoscaler's walkthrough.
var hpaExample = Behaviour{
	Images: []string{"hpa-example"}, SizeBytes: 166723584, Cmd: []string{"apache2-foreground"}, Commands: []string{"apache2", "php"}, Memory: 14 << 20,
	Ports: []int32{80},
	Read: func(argv []string) (Program, bool) {
		return Program{Forever: true, Serves: true, Ports: []int32{80}, CPU: milli, RequestCPU: 100 * time.Millisecond, LogsRequests: true},
			base(argv[0]) == "apache2-foreground"
	},
}

// bytesOf reads 150M, 150Mi or 1g.
func bytesOf(text string, otherwise int64) int64 {
	if text == "" {
		return otherwise
	}
	switch text[len(text)-1] {
	case 'g':
		text = text[:len(text)-1] + "G"
	case 'm':
		text = text[:len(text)-1] + "M"
	case 'K':
		text = text[:len(text)-1] + "k"
	}
	q, err := resource.ParseQuantity(text)
	if err != nil {
		return otherwise
	}
	return q.Value()
}

// flags reads --a=b, --a b, -a b and -a; what isn't a flag is left out.
func flags(args []string) map[string]string {
	out := map[string]string{}
	for i := 0; i < len(args); i++ {
		name := args[i]
		if len(name) < 2 || name[0] != '-' {
			continue
		}
		for name != "" && name[0] == '-' {
			name = name[1:]
		}
		value := ""
		for j := range name {
			if name[j] == '=' {
				name, value = name[:j], name[j+1:]
				out[name] = value
				name = ""
				break
			}
		}
		if name == "" {
			continue
		}
		if i+1 < len(args) && (args[i+1] == "" || args[i+1][0] != '-') {
			i++
			value = args[i]
		}
		out[name] = value
	}
	return out
}
