package conformance

import (
	"regexp"
	"strings"
	"testing"

	"kubewalk/playground/cluster"
)

// What kubectl says of commands that it does not have, and of those that are half there: the page's refuses them before they are sent,
// where the real one runs and fails.
func TestPagesGrammarIsTheRealOne(t *testing.T) {
	p, page := bothAtRest(t)
	for _, line := range []string{
		"kubectl gte pods", "kubectl aply -f x", "kubectl xyzzy", "kubectl ls", "kubectl ps", "kubectl rm pod x", "kubectl logss", "kubectl api", "kubectl GTE",
		"kubectl describ pods", "kubectl inspect", "kubectl list", "kubectl stats", "kubectl versio", "kubectl conf", "kubectl plugi", "kubectl -n foo gte", "kubectl gte --foo",
		"kubectl --foo", "kubectl -z", "kubectl gte -n x",
		"kubectl rollout statsu", "kubectl rollout statsu deploy/x", "kubectl rollout --foo", "kubectl rollout statsu --foo", "kubectl config vew",
		"kubectl top podz", "kubectl set imag deploy/x", "kubectl auth can", "kubectl create secret gneric x", "kubectl create secret bogus", "kubectl create service clusteri x",
		"kubectl create deploymen x", "kubectl create", "kubectl plugin lst",
		"kubectl", "kubectl -n x", "kubectl rollout", "kubectl rollout -n x", "kubectl config", "kubectl top", "kubectl set", "kubectl auth", "kubectl create secret",
		"kubectl create service", "kubectl certificate", "kubectl certificate aprove", "kubectl plugin", "kubectl help", "kubectl help rollout", "kubectl help rollout foo",
		"kubectl rollout -n default status deploy/nosuch", "kubectl create -n default cm a --from-literal=a=b --dry-run=client -o name",
	} {
		stdout, stderr, code := p.kubectl(line, "")
		var o cluster.Outcome
		if args, err := cluster.ParseCommand(line); err != nil {
			o.Error = err.Error()
		} else if o = typed(t, page, args, ""); o.Error == "exit status 1" {
			o.Error = ""
			code--
		}
		failed := o.Error != ""
		if isHelp := strings.Contains(o.Warning+o.Error, "Usage:\n"); isHelp {
			failed = code != 0 // what is printed there is help
		}
		if shape(o.Output) != shape(stdout) || shape(o.Warning+o.Error) != shape(stderr) || failed != (code != 0) {
			t.Errorf("$ %s\nprints   %q %q\nthe real %q %q (%d)", line, shape(o.Output), shape(o.Warning+o.Error), shape(stdout), shape(stderr), code)
		}
	}
}

// summary is what a command is for, in a list: in our own words.
var summary = regexp.MustCompile(`(?m)^(  [a-z-]+) {3,}\S.*$`)

// shape is a help text without words that are ours, and any other text as it is. (kuberc is absent.)
func shape(text string) string {
	_, list, found := strings.Cut(text, "Commands")
	if !found || !strings.Contains(text, "Usage:") {
		return strings.TrimRight(text, "\n")
	}
	list = summary.ReplaceAllString(strings.TrimRight(list, "\n"), "$1")
	return strings.Replace(list, "  kuberc\n", "", 1)
}
