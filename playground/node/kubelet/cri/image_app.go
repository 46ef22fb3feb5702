package cri

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"kubewalk/playground/api/resource"
	"kubewalk/playground/api/x509"
)

// app is an image of our own, for demos: its flags say how it behaves. A flag
// that it doesn't know, or a value that it cannot read, ends it with code 2.
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
//
//	--tls-cert-file=PATH     shows the certificate that is there; without it, one that every client trusts
//
// As a webhook of admission (see admissionRules) it has besides
//
//	--require-label=team     denies objects without that label
//	--deny-image=*:latest    denies Pods, and templates of Pods, with such an image
//	--default-label=team=a   gives objects without that label one
//	--add-container=NAME=IMAGE  adds a container to Pods
var app = Behaviour{
	Images: []string{appImage, "docker.io/kubewalk/app"}, SizeBytes: 12582912, Entrypoint: []string{"/app"}, Memory: 10 << 20,
	Read: func(argv []string) (Program, bool) {
		if base(argv[0]) != "app" {
			return Program{}, false
		}
		r := appRun{Program: Program{Forever: true, Serves: true, CPU: 2 * milli, LogsRequests: true, Certificate: x509.Trusted}}
		for _, arg := range argv[1:] {
			if err := r.read(arg); err != nil {
				return Program{ExitCode: 2, Says: []string{err.Error()}}, true
			}
		}
		r.ExitCode = int32(r.code)
		return r.Program, true
	},
}

const appImage = "kubewalk.dev/app"

// appRun is a program, while its flags are read.
type appRun struct {
	Program
	code  int64
	coded bool // --exit-code was there
}

func (r *appRun) read(arg string) error {
	name, value, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	set, known := appFlags[name]
	if !known || !strings.HasPrefix(arg, "-") {
		return fmt.Errorf("flag provided but not defined: %s", arg)
	}
	if err := set(r, value); err != nil {
		return fmt.Errorf("invalid value %q for flag --%s: %w", value, name, err)
	}
	return nil
}

// appFlags are the flags by their names.
var appFlags = map[string]func(r *appRun, value string) error{
	"port": func(r *appRun, value string) error {
		for one := range strings.SplitSeq(value, ",") {
			n, err := strconv.ParseUint(one, 10, 16)
			if err != nil {
				return errors.New("write a port, or several: 80,443")
			}
			r.Ports = append(r.Ports, int32(n))
		}
		return nil
	},
	"latency":     takesTime(func(r *appRun, d time.Duration) { r.Latency = d }),
	"ready-after": takesTime(func(r *appRun, d time.Duration) { r.Answers = d }),
	"break-after": takesTime(func(r *appRun, d time.Duration) { r.Breaks = d }),
	"crash-after": takesTime(func(r *appRun, d time.Duration) {
		if r.Forever, r.Runs = false, d; !r.coded {
			r.code = 1
		}
	}),
	"run": takesTime(func(r *appRun, d time.Duration) { r.Forever, r.Runs = false, d }),
	"exit-code": func(r *appRun, value string) error {
		code, err := strconv.ParseUint(value, 10, 8)
		if err != nil {
			return errors.New("write a number from 0 to 255")
		}
		r.code, r.coded = int64(code), true
		return nil
	},
	"memory":      takesQuantity(func(r *appRun, q resource.Quantity) { r.Memory = q.Value() }),
	"leak":        takesQuantity(func(r *appRun, q resource.Quantity) { r.Leak = q.Value() }),
	"cpu":         takesQuantity(func(r *appRun, q resource.Quantity) { r.CPU = q.MilliValue() * milli }),
	"request-cpu": takesTime(func(r *appRun, d time.Duration) { r.RequestCPU = d }),
	"stop-after":  takesTime(func(r *appRun, d time.Duration) { r.Stops = d }),
	"ignore-sigterm": func(r *appRun, value string) error {
		r.IgnoresSIGTERM = true
		if value != "" && value != "true" {
			return errors.New("it takes no value")
		}
		return nil
	},
	"log": func(r *appRun, value string) error {
		r.Says = append(r.Says, value)
		return nil
	},
	"tls-cert-file": func(r *appRun, value string) error {
		if !strings.HasPrefix(value, "/") {
			return errors.New("write the absolute path of a file")
		}
		r.Certificate = value
		return nil
	},
	"log-every": takesTime(func(r *appRun, d time.Duration) { r.LogEvery = d }),

	"require-label": takesRule((*admissionRules).requireLabels),
	"deny-image":    takesRule((*admissionRules).denyImages),
	"default-label": takesRule((*admissionRules).defaultLabelsTo),
	"add-container": takesRule((*admissionRules).addContainers),
}

func takesRule(set func(*admissionRules, string) error) func(*appRun, string) error {
	return func(r *appRun, value string) error {
		rules, ok := r.Admission.(*admissionRules)
		if !ok {
			rules = &admissionRules{}
			r.Admission = rules
		}
		return set(rules, value)
	}
}

func takesTime(set func(*appRun, time.Duration)) func(*appRun, string) error {
	return func(r *appRun, value string) error {
		d, err := time.ParseDuration(value)
		if err != nil || d < 0 {
			return errors.New("write 500ms, 12s or 1m30s")
		}
		set(r, d)
		return nil
	}
}

func takesQuantity(set func(*appRun, resource.Quantity)) func(*appRun, string) error {
	return func(r *appRun, value string) error {
		q, err := resource.ParseQuantity(value)
		if err != nil || q.Sign() < 0 {
			return errors.New("write a quantity: 250m, 64Mi")
		}
		set(r, q)
		return nil
	}
}

// AppFlags are the names of the flags of kubewalk.dev/app, without hyphens.
func AppFlags() []string { return slices.Sorted(maps.Keys(appFlags)) }

// CheckAppFlag says what is wrong with a flag of kubewalk.dev/app: nil when it is right.
func CheckAppFlag(arg string) error { return new(appRun).read(arg) }

// OwnImages are those of the catalogue that are no real ones: kubewalk.dev/app.
func OwnImages() (out []string) {
	for _, b := range catalogue() {
		for _, name := range b.Images {
			if strings.HasPrefix(name, OwnRegistry) {
				out = append(out, name)
			}
		}
	}
	return out
}

// OwnRegistry is what our own images begin with.
const OwnRegistry = "kubewalk.dev/"
