package markdown

import "testing"

// TestIsWhole: short names stay in one line; what is longer or has words may break, and what cannot break needs no mark.
func TestIsWhole(t *testing.T) {
	for code, want := range map[string]bool{
		"web-0": true, "db-1": true, "kube-apiserver": true, "apps/v1": true, "--dry-run=server": true, "/readyz?verbose": true,
		"web": false, "restartPolicy: Always": false, "kubectl get -w": false, "<none>-x": false,
		"kube-controller-manager": false, "default/web-5c5d75b7cf-x2k9p": false,
	} {
		if got := isWhole([]byte(code)); got != want {
			t.Errorf("isWhole(%q) = %v, want %v", code, got, want)
		}
	}
}
