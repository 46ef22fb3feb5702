//go:build cel || !js

package cluster_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/cluster"
)

// A program outside types to a command in a container: a connection that an input opened, so that the run can be repeated.
func TestConnection(t *testing.T) {
	c := withBox(t)
	n := len(c.Outcomes())
	exec := "/api/v1/namespaces/default/pods/box/exec?stdin=true&stdout=true&stderr=true&command=sh"
	l := &listener{}
	open := func(url string) {
		t.Helper()
		if _, err := c.Open(cluster.Input{Kind: cluster.APIRequest, Method: "POST", URL: url}, l, func(cluster.Outcome, cluster.Answer) {}); err != nil {
			t.Fatal(err)
		}
		c.RunUntil(c.Elapsed() + time.Second)
	}
	say := func(connection string, lines ...string) (failures string) {
		for _, line := range lines {
			i := len(c.Outcomes())
			schedule(t, c, cluster.Input{At: c.Elapsed(), Kind: cluster.Type, Value: line, Connection: connection})
			c.RunUntil(c.Elapsed() + time.Second)
			failures += c.Outcomes()[i].Error
		}
		return failures
	}
	open(exec + "&tty=true")
	open(exec)
	say("1", "cd /etc", "pwd")
	say("2", "pwd", "echo no >&2", "exit 4")
	say("1", "exit")
	if got, want := l.text, "opened\n/ # opened\n/etc # /etc\n/etc # /\nno(stderr)\nended 4 <nil>\nended 0 <nil>\n"; got != want {
		t.Errorf("%q\nwant\n%q", got, want)
	}
	if got := say("1", "ls") + "|" + say("7", "ls"); got != "no command is at the end of connection 1: a request for exec or attach opens one|"+
		"no command is at the end of connection 7: a request for exec or attach opens one" {
		t.Error(got)
	}
	open(strings.Replace(exec, "box", "nosuch", 1))
	if !strings.HasSuffix(l.text, `<nil>`+"\n"+`pods "nosuch" not found`+"\n") {
		t.Errorf("%q", l.text)
	}
	again := up(t)
	for _, o := range c.Outcomes() {
		schedule(t, again, o.Input)
	}
	again.RunUntil(c.Elapsed())
	for i, o := range c.Outcomes() {
		if got := again.Outcomes()[i]; got.Output != o.Output || got.Error != o.Error {
			t.Errorf("%s: %q %q, and before %q %q", o.Input, got.Output, got.Error, o.Output, o.Error)
		}
	}
	if got := c.Outcomes()[n].Output; got != "/ # cd /etc\n/etc # pwd\n/etc\n/etc # exit\n" {
		t.Errorf("what the terminal shows: %q", got)
	}
}

type listener struct{ text string }

func (l *listener) Opened(err error) {
	if err != nil {
		l.text += err.Error() + "\n"
		return
	}
	l.text += "opened\n"
}

func (l *listener) Printed(text string, stderr bool) {
	if stderr {
		text = strings.TrimSuffix(text, "\n") + "(stderr)\n"
	}
	l.text += text
}

func (l *listener) Ended(code int32, err error) { l.text += fmt.Sprintln("ended", code, err) }
