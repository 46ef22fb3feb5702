package cri_test

import (
	"strings"
	"testing"

	"kubewalk/playground/node/kubelet/cri"
)

func TestReadsInput(t *testing.T) {
	for line, want := range map[string]bool{
		"cat": true, "cat -": true, "cat /f": false, "/bin/cat": true,
		"tar -xmf - -C /tmp": true, "tar cf - /tmp": false, "tar --no-same-owner -xf -": true, "tar x": true, "tar tf /f": false,
		"hostname": false, "sleep 5": false, "sh": true, "sh /script": false, "": false, "wc -c": true, "grep a": true, "grep a f": false, "tee /f": true,
		"sh -c|cat > /f": true, "sh -c|hostname; ls": false, "sh -c|cat /f | grep a": false, "sh -c|if true; then cat; fi": true, "sh -c|cat < /f": false,
		"sh -c|x": false, "sh -c|while true; do sleep 1; done": false, "sh -c|(wc -l)": true, "timeout 5 cat": true, "sh -c|'": false,
	} {
		argv := strings.Fields(line)
		if words, script, ok := strings.Cut(line, "|"); ok && strings.HasPrefix(line, "sh -c") {
			argv = append(strings.Fields(words), script)
		}
		if got := cri.ReadsInput(argv); got != want {
			t.Errorf("%q: %v", line, got)
		}
	}
}
