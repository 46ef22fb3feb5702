package kubectl

import (
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/ustar"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

// cutting is a server of one Pod, whose connections end after some bytes.
type cutting struct {
	client.Transport
	archive string
	most    int
	asked   []string
}

func (c *cutting) Do(_ *sim.Proc, r *client.Request) (client.Result, error) {
	if r.Verb == client.Get {
		pod := &corev1.Pod{}
		pod.Name, pod.Spec.Containers = r.Name, []corev1.Container{{Name: "c"}}
		return pod, nil
	}
	c.asked = append(c.asked, strings.Join(r.Exec.Command, " "))
	rest := c.archive[min(len(c.archive), (len(c.asked)-1)*c.most):]
	return &client.Text{Body: rest[:min(len(rest), c.most)]}, nil
}

// cp goes on where the archive ended too early, as often as it may.
func TestCopyRetries(t *testing.T) {
	const text = "what is in the file\n"
	m := ustar.Member{Name: "it's", Kind: ustar.File, Mode: 0o644, Size: len(text), Data: text}
	archive := m.Header() + text + ustar.Padding(len(text)) + ustar.End
	for _, test := range []struct {
		retries, want, wrong string
		most                 int
		asked                []string
	}{
		{"0", text, "", 4000, []string{"tar cf - it's"}},
		{"5", text, "", 4000, []string{`sh -c tar cf - 'it'\''s' | tail -c+0`}},
		{"5", "Resuming copy at 700 bytes, retry 1/5\nResuming copy at 1400 bytes, retry 2/5\n" + text, "", 700,
			[]string{`sh -c tar cf - 'it'\''s' | tail -c+0`, `sh -c tar cf - 'it'\''s' | tail -c+701`, `sh -c tar cf - 'it'\''s' | tail -c+1401`}},
		{"-1", "Resuming copy at 1100 bytes, retry 1/-1\n" + text, "", 1100, []string{`sh -c tar cf - 'it'\''s' | tail -c+0`, `sh -c tar cf - 'it'\''s' | tail -c+1101`}},
		{"1", "Resuming copy at 200 bytes, retry 1/1\nDropping out copy after 1 retries\n", "error: unexpected EOF", 200, nil},
		{"0", "Dropping out copy after 0 retries\n", "error: unexpected EOF", 600, nil},
		{"0", "Dropping out copy after 0 retries\n", "", 0, nil},
	} {
		k := sim.New(1, time.Unix(0, 0), trace.NewRecorder(trace.Off))
		server := &cutting{archive: archive, most: test.most}
		var r Result
		k.Start("kubectl").Go("kubectl", func(p *sim.Proc) {
			r = New(server).WithTerminal(&Terminal{}, func(Result) {}).Run(p, []string{"cp", "pod:it's", "/dev/stdout", "--retries=" + test.retries}, nil)
		})
		for k.Step() {
		}
		k.Close()
		if r.Stdout != strings.TrimSuffix(test.want, "\n") || r.Stderr != test.wrong {
			t.Errorf("--retries=%s, %d bytes at a time: %+v", test.retries, test.most, r)
		}
		if got := strings.Join(server.asked, "\n"); test.asked != nil && got != strings.Join(test.asked, "\n") {
			t.Errorf("--retries=%s, %d bytes at a time asks\n%s", test.retries, test.most, got)
		}
	}
}

// cp takes up the files that a command line is given, as they are kept beside the terminal.
func TestCopyOfAKeptFile(t *testing.T) {
	if got := strings.Join(Texts([]string{"cp", "conf/app.yaml", "pod:/tmp"}), " "); got != "conf/app.yaml" {
		t.Errorf("the command line reads %q", got)
	}
	if got := Texts([]string{"cp", "pod:/tmp/a", "a"}); got != nil {
		t.Errorf("a copy from a Pod reads %q", got)
	}
	k := sim.New(1, time.Unix(0, 0), trace.NewRecorder(trace.Off))
	defer k.Close()
	server := &cutting{}
	var r Result
	k.Start("kubectl").Go("kubectl", func(p *sim.Proc) {
		r = New(server).WithTerminal(&Terminal{}, func(Result) {}).Run(p, []string{"cp", "a.txt", "pod:/tmp/b"}, []byte(`{"a.txt":"text\n"}`))
	})
	for k.Step() {
	}
	if got := strings.Join(server.asked, "\n"); r.Failed || !strings.Contains(got, "tar -xmf -") {
		t.Errorf("%+v, asks %s", r, got)
	}
}
