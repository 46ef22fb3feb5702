package cri

import (
	"strings"
	"testing"
)

// TestPi: what the Job of Kubernetes' documentation prints.
func TestPi(t *testing.T) {
	p := NewProgram("perl:5.34.0", []string{"perl", "-Mbignum=bpi", "-wle", "print bpi(2000)"}, nil)
	if p.Forever || p.ExitCode != 0 || len(p.Says) != 1 || len(p.Says[0]) != 2001 {
		t.Fatalf("%+v", p)
	}
	const begins = "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706798"
	if text := p.Says[0]; !strings.HasPrefix(text, begins) || !strings.HasSuffix(text, "8658326459958133904780275901") {
		t.Errorf("%s", text)
	}
	for n, want := range map[int]string{1: "3", 5: "3.1416", 10: "3.141592654"} {
		if got := pi(n); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if p := NewProgram("perl:5.34.0", []string{"perl", "-e", "print 1"}, nil); !p.Forever {
		t.Errorf("%+v", p)
	}
}
