//go:build !js || cel

package cri

func init() { rareImages = append(rareImages, &shellOperator) }

// shellOperator runs package operator/shelloperator in a container that has a shell, kubectl and jq, where a cluster has that operator.
// Elsewhere it does nothing. Upstream: github.com/flant/shell-operator, Dockerfile.
var shellOperator = Behaviour{
	Images: []string{"ghcr.io/flant/shell-operator", "docker.io/flant/shell-operator"}, SizeBytes: 94371840, Entrypoint: []string{"/sbin/tini", "--", "/shell-operator"},
	Cmd: []string{"start"}, Commands: []string{"shell-operator", "kubectl", "jq"}, Memory: 48 << 20,
	Read: func(argv []string) (Program, bool) {
		for len(argv) > 0 && (base(argv[0]) == "tini" || argv[0] == "--") {
			argv = argv[1:]
		}
		if len(argv) == 0 || base(argv[0]) != "shell-operator" {
			return Program{}, false
		}
		return Program{Forever: true, CPU: 2 * milli, Guest: "shell-operator"}, true
	},
}
