package conformance

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kubewalk/playground/cluster"
)

// Files and directories go into a container and come back: the real kubectl has tar pack them on one side and unpack them on the other.
func TestCopy(t *testing.T) {
	p := serve(t, cluster.DefaultConfig(), 20)
	p.settle()
	done := func(line, stdin, out, complaints string, exit int) {
		t.Helper()
		stdout, stderr, code := p.kubectl(line, stdin)
		if stdout != out || stderr != complaints || code != exit {
			t.Errorf("$ %s\nends with %d and prints %q, and says %q", line, code, stdout, stderr)
		}
	}
	done("kubectl run box --image=busybox -- sleep infinity", "", "pod/box created\n", "", 0)
	done("kubectl wait --for=condition=Ready pod/box", "", "pod/box condition met\n", "", 0)
	long := strings.Repeat("n", 120)
	binary := make([]byte, 100_000)
	for i, random := 0, rand.New(rand.NewPCG(1, 2)); i < len(binary); i++ {
		binary[i] = byte(random.Uint32())
	}
	files := map[string]string{"d/a": "one\n", "d/e/binary": string(binary), "d/e/" + long: "long", "d/日本": "", "script": "#!/bin/sh\necho ran\n"}
	modes := map[string]os.FileMode{"d/a": 0o644, "d/e/binary": 0o600, "d/e/" + long: 0o644, "d/日本": 0o444, "script": 0o755}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Join(p.folder, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(p.folder, name), []byte(text), modes[name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(p.folder, "d/empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	// kubectl prints what tar says, if it hears of that before the end of the archive.
	back := func(line string) {
		t.Helper()
		if out, complaints, code := p.kubectl(line, ""); code != 0 || complaints != "" || out != "" && out != "tar: removing leading '/' from member names\n" {
			t.Errorf("$ %s\nends with %d and prints %q, and says %q", line, code, out, complaints)
		}
	}
	done("kubectl cp script box:/tmp/run", "", "", "", 0)
	done("kubectl cp script box:/tmp", "", "", "", 0) // into the directory
	done("kubectl exec box -- /tmp/run", "", "ran\n", "", 0)
	done("kubectl exec box -- ls /tmp", "", "run\nscript\n", "", 0)
	done("kubectl exec box -- mkdir /srv", "", "", "", 0)
	done("kubectl cp --no-preserve script default/box:/srv/plain", "", "", "", 0)
	done("kubectl cp d box:/srv/d", "", "", "", 0)
	done("kubectl exec box -- ls /srv/d", "", "a\ne\nempty\n日本\n", "", 0)
	done("kubectl exec box -- test -d /srv/d/empty", "", "", "", 0)
	back("kubectl cp box:/srv/d back")
	back("kubectl cp box:/tmp/run run")
	back("kubectl cp box:srv/d/a relative")
	for name, from := range map[string]string{"back/a": "d/a", "back/e/binary": "d/e/binary", "back/e/" + long: "d/e/" + long, "back/日本": "d/日本", "run": "script", "relative": "d/a"} {
		if text, err := os.ReadFile(filepath.Join(p.folder, name)); err != nil || string(text) != files[from] {
			t.Errorf("%s came back as %d bytes: %v", from, len(text), err)
		}
	}
	if in, err := os.Stat(filepath.Join(p.folder, "back/empty")); err != nil || !in.IsDir() {
		t.Errorf("the empty directory: %v", err)
	}
	done("kubectl cp script box:/proc/sys/no/such/file", "", "", "tar: can't change directory to '/proc/sys/no/such': No such file or directory\ncommand terminated with exit code 1\n", 1)
	// What a command reads, and what it says on its standard error.
	done("kubectl exec -i box -- cat", "one\ntwo", "one\ntwo", "", 0)
	done("kubectl exec -i box -- sh -c 'cat > /f'", string(binary), "", "", 0)
	done("kubectl exec box -- sh -c 'wc -c < /f; echo no >&2; exit 3'", "", "100000\n", "no\ncommand terminated with exit code 3\n", 3)
	done("kubectl exec -i box -- sh", "echo yes\nls /nowhere\n", "yes\n", "ls: /nowhere: No such file or directory\ncommand terminated with exit code 1\n", 1)
	done("kubectl exec box -- tar cf - /nothing /nowhere", "", strings.Repeat("\x00", 1024), "tar: /nothing: No such file or directory\n"+
		"tar: /nowhere: No such file or directory\ntar: error exit delayed from previous errors\ncommand terminated with exit code 1\n", 1)
	done("kubectl exec box -- /srv/d/a", "", "", "error: Internal error occurred: rpc error: code = Unknown desc = failed to exec in container: failed to start exec: "+
		"OCI runtime exec failed: exec failed: unable to start container process: exec: \"/srv/d/a\": permission denied\n", 1)
	// Whether kubectl notices first that nobody reads any more is chance: then it says that, too.
	stdout, stderr, code := p.kubectl("kubectl exec -i box -- cat", strings.Repeat("x", 4<<20))
	if stdout != "" || code != 1 || !strings.HasSuffix(stderr, "error: Request entity too large: limit of what a command reads is 3145728\n") {
		t.Errorf("4 MiB of input: ends with %d and prints %.100q, and says %q", code, stdout, stderr)
	}
}
