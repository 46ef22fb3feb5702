//go:build !js || cel

package cri

import (
	"testing"
	"time"
)

// TestPython: what the Jobs of Kubernetes' documentation run, and what is like it.
func TestPython(t *testing.T) {
	for program, want := range map[string]string{ // order: each by itself
		// content/en/examples/controllers/job-success-policy.yaml
		"import os, sys\nif os.environ.get(\"JOB_COMPLETION_INDEX\") == \"2\":\n  sys.exit(0)\nelse:\n  sys.exit(1)\n": ":\nif [ \"${JOB_COMPLETION_INDEX}\" = '2' ]; then\nexit 0\nelse\nexit 1\nfi\n",
		// content/en/examples/controllers/job-backoff-limit-per-index-example.yaml
		"import os, sys\nprint(\"Hello world\")\nif int(os.environ.get(\"JOB_COMPLETION_INDEX\")) % 2 == 0:\n  sys.exit(1)\n": ":\nprintf '%s\\n' 'Hello world'\nif [ $((JOB_COMPLETION_INDEX % 2)) -eq 0 ]; then\nexit 1\nfi\n",
		`import time; print("a; b", flush=True); time.sleep(2.5)`:                                                             ":\nprintf '%s\\n' 'a; b'\nsleep 2.5\n",
		"for i in range(3):\n    print('n', i)\n    time.sleep(1)\nprint(\"done\")":                                           "for i in $(seq 0 2); do\nprintf '%s\\n' 'n'\" \"\"${i}\"\nsleep 1\ndone\nprintf '%s\\n' 'done'\n",
		"while True:\n  if i > 3:\n    exit()\n  elif i == 2:\n    pass":                                                      "while true; do\nif [ \"${i}\" -gt 3 ]; then\nexit 0\nelif [ \"${i}\" -eq 2 ]; then\n:\nfi\ndone\n",
		"open('x').read()":   "",
		"else:\n  pass":      "",
		"print(f'{x}')":      "",
		"if f(x) == 1: pass": "",
	} {
		if got, ok := shellOf(program); got != want || ok != (want != "") {
			t.Errorf("%q:\ngot  %q\nwant %q", program, got, want)
		}
	}
	p := NewProgram("python:3", []string{"python3", "-c", `print("hi")`}, nil)
	if p.Forever || p.script == nil || p.script.failure != "" {
		t.Errorf("%+v", p)
	}
	if p := NewProgram("python", nil, nil); p.Forever || p.Runs > time.Second {
		t.Errorf("%+v", p)
	}
	if p := NewProgram("python:3-slim", []string{"python", "-m", "http.server"}, nil); !p.Forever {
		t.Errorf("%+v", p)
	}
}
