package kubectl

import (
	"fmt"
	"strings"
	"testing"
)

func TestComplete(t *testing.T) {
	for line, want := range map[string]string{
		"ge":                         "0 get ",
		"kubectl ge":                 "8 get ",
		"rollout s":                  "8 status ",
		"rollout status d":           "15 daemonsets deployments ",
		"rollout status deployment/": "15 deployments in default after deployment/",
		"create c":                   "7 clusterrole clusterrolebinding configmap cronjob ",
		"config use":                 "7 use-context ",
		"get dep":                    "4 deployments ",
		"get po":                     "4 poddisruptionbudgets pods podtemplates ",
		"get self":                   "4", // such a kind is only created
		"get deploy ":                "11 deployments in default",
		"get deploy -n shop w":       "19 deployments in shop",
		"get po -A ":                 "10 pods in *",
		"get no ":                    "7 nodes",
		"get pods -n ":               "12 namespaces",
		"get pods -o ":               "12",
		"get pods -o wide ":          "17 pods in default",
		"get pods -l app=web ":       "20 pods in default",
		"logs ":                      "5 pods in default",
		"logs -f we":                 "8 pods in default",
		"drain ":                     "6 nodes",
		"scale --rep":                "6 --replicas=",
		"delete pod web --gr":        "15 --grace-period=",
		"get --show-l":               "4 --show-labels",
		"patch deploy web --lo":      "17", // --local is absent
		"exec web -- ca":             "12",
		"nosuch x":                   "7",
		"top n":                      "4 node ",
		"cp ":                        "3",
		"describe service/w":         "9 services in default after service/",
		"edit deploy ":               "12 deployments in default",
		"-n shop get pods ":          "17",
		"get nosuch ":                "11",
		"certificate approve ":       "20 certificatesigningrequests",
		"explain deploy":             "8 deployments ",
		"apply edit-last-applied de": "24 deployments ",
		"completion ":                "11 bash fish powershell zsh ",
		"completion z":               "11 zsh ",
		"completion bash ":           "16",
		"create secret tls a --ce":   "20 --cert=",
		"create cm a --from-e":       "12 --from-env-file=",
		"__comp":                     "0",
	} {
		c := Complete(line)
		got := fmt.Sprint(c.From)
		if len(c.Words) > 0 {
			got += " " + strings.TrimSpace(strings.Join(c.Words, "")) + " "
			if strings.Contains(got, "--") {
				got = strings.TrimSpace(got)
			}
		}
		if c.Resource != "" {
			got += " " + c.Resource
		}
		if c.Namespace != "" {
			got += " in " + c.Namespace
		}
		if c.Prefix != "" {
			got += " after " + c.Prefix
		}
		if got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

// Every command of the table of subjects is there.
func TestSubjectsAreCommands(t *testing.T) {
	for _, name := range sortedKeys(subjects) {
		if lookup(name) == nil {
			t.Errorf("there is no command %q", name)
		}
	}
}

func FuzzComplete(f *testing.F) {
	for _, line := range []string{"", " ", "get pods -n", "-", "--", "exec web --", "rollout ", "get pod/", "kubectl kubectl"} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		c := Complete(line)
		if c.From < 0 || c.From > len(line) {
			t.Fatalf("from %d of %d bytes", c.From, len(line))
		}
		for _, w := range c.Words {
			if strings.TrimSpace(w) == "" || !strings.HasPrefix(w, line[c.From:]) {
				t.Errorf("%q goes on as %q", line[c.From:], w)
			}
		}
	})
}
