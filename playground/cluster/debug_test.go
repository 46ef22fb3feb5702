package cluster_test

import (
	"regexp"
	"strings"
	"testing"
)

// silentPod has no shell; its program listens on port 9090.
const silentPod = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"shop","labels":{"app":"shop"}},"spec":{"containers":[{"name":"shop","image":"kubewalk.dev/silent","readinessProbe":{"tcpSocket":{"port":9090}}}]}}`

// TestDebug is kubectl debug in its three forms; a trailing * is any ending.
func TestDebug(t *testing.T) {
	c := up(t)
	typed(t, c, "apply -f -", silentPod)
	for _, test := range []struct{ line, want string }{
		{"wait --for=condition=Ready pod/shop --timeout=60s", "pod/shop condition met"},
		{"exec shop -- ls", `! error: Internal error occurred: *`},
		{"debug shop", "! error: you must specify --image when not using --copy-to."},
		{"debug --image=busybox", "! error: NAME or filename is required for debug"},
		{"debug shop --image=busybox -t", "! error: -i/--stdin is required for containers with -t/--tty=true"},
		{"debug shop --image=busybox --same-node", "! error: --same-node may only be used with --copy-to."},
		{"debug shop --copy-to=x --image=busybox --target=shop", "! error: --target is incompatible with --copy-to. Use --share-processes instead."},
		{"debug shop --copy-to=x", "! error: you must specify --image, --set-image or command arguments."},
		{"debug service/kubernetes --image=busybox", `! error: "/v1, Kind=Service" not supported by debug`},
		// A shell with its standard input open waits: the container runs.
		{"debug -it shop --image=busybox --target=shop", "Targeting container \"shop\".*"},
		{"debug -it shop --image=busybox -q", "/ # "},
		{"get pod shop -o jsonpath='{.spec.ephemeralContainers[0].securityContext.capabilities.add[0]} {.spec.ephemeralContainers[*].name}'",
			"SYS_PTRACE debugger-1 debugger-2"},
		// Only the one with a target sees its processes and files; all share the network.
		{"exec shop -c debugger-1 -- ps", "PID   USER     TIME  COMMAND\n    1 root      0:00 /silent\n    7 root      0:00 sh\n   13 root      0:00 ps"},
		{"exec shop -c debugger-2 -- ps", "PID   USER     TIME  COMMAND\n    1 root      0:00 sh\n    7 root      0:00 ps"},
		{"exec shop -c debugger-2 -- netstat -tln",
			"Active Internet connections (only servers)\nProto Recv-Q Send-Q Local Address           Foreign Address         State\ntcp        0      0 :::9090                 :::*                    LISTEN"},
		{"exec shop -c debugger-1 -- cat /proc/1/root/etc/hostname", "shop"},
		// A copy: no labels, no probes, another image, one view of all processes.
		{"debug shop --copy-to=copy --image=busybox --set-image=shop=nginx:1.27 -c extra -- sleep 1d", ""},
		{"wait --for=condition=Ready pod/copy --timeout=60s", "pod/copy condition met"},
		{"get pod copy -o jsonpath='{.metadata.labels}{.spec.containers[*].image} {.spec.containers[0].readinessProbe}{.spec.shareProcessNamespace}'",
			"nginx:1.27 busybox true"},
		{"exec copy -c extra -- ps", "PID   USER     TIME  COMMAND\n    1 root      0:00 /pause\n*"},
		{"debug shop --copy-to=copy2 --set-image=*=nginx:1.28 --replace", ""},
		{"get pod shop", `! Error from server (NotFound): pods "shop" not found`},
		// A node: bound from the beginning, in the node's namespaces.
		{"debug node/node-1 --image=busybox -- sleep 1d", "Creating debugging pod node-debugger-node-1-1 with container debugger on node node-1."},
		{"get pod node-debugger-node-1-1 -o jsonpath='{.spec.nodeName} {.spec.hostPID} {.spec.volumes[0].hostPath.path}'", "node-1 true /"},
	} {
		check(t, test.line, typed(t, c, test.line, ""), test.want)
	}
}

// check compares what came back; a trailing * of what is wanted is any ending.
func check(t *testing.T, line, got, want string) {
	t.Helper()
	if prefix, open := strings.CutSuffix(want, "*"); got != want && !(open && strings.HasPrefix(got, prefix)) {
		t.Errorf("$ %s\n%s\nwant\n%s", line, got, want)
	}
}

// TestVerbose is what -v adds. Times differ, and are left out.
func TestVerbose(t *testing.T) {
	c := up(t)
	klog := regexp.MustCompile(`I\d{4} [\d:.]+ +\d+ `)
	millis := regexp.MustCompile(`milliseconds=\d+`)
	const cm = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`
	for _, test := range []struct{ line, want string }{
		{"get cm a -v=6", `round_trippers.go:632] "Response" verb="GET" url="https://10.0.0.1:6443/api/v1/namespaces/default/configmaps/a" status="404 Not Found" milliseconds=_
! Error from server (NotFound): configmaps "a" not found`},
		{"create -f - -v=6", `round_trippers.go:632] "Response" verb="POST" url="https://10.0.0.1:6443/api/v1/namespaces/default/configmaps?fieldManager=kubectl-create&fieldValidation=Strict" status="201 Created" milliseconds=_
configmap/a created`},
		{"apply --server-side -f - -v=6",
			`round_trippers.go:632] "Response" verb="PATCH" url="https://10.0.0.1:6443/api/v1/namespaces/default/configmaps/a?fieldManager=kubectl&fieldValidation=Strict&force=false" status="200 OK" milliseconds=_
configmap/a serverside-applied`},
		{"get cm -o name --chunk-size=1 -v=6",
			`round_trippers.go:632] "Response" verb="GET" url="https://10.0.0.1:6443/api/v1/namespaces/default/configmaps?limit=1" status="200 OK" milliseconds=_
*`},
		{"get cm a -v=8", "helper.go:113] \"Request Body\" body=\"\"\nround_trippers.go:527] \"Request\" verb=\"GET\" url=\"https://10.0.0.1:6443/api/v1/namespaces/default/configmaps/a\" headers=<\n\tAccept: application/json;as=Table*"},
		{"get cm a -v=5", "NAME   DATA   AGE\na      0      *"},
	} {
		got := typed(t, c, test.line, cm)
		check(t, test.line, millis.ReplaceAllString(klog.ReplaceAllString(got, ""), "milliseconds=_"), test.want)
	}
	// Lines of a body are indented, and long bodies are cut.
	if got := typed(t, c, "get nodes -o json -v=8", ""); !strings.Contains(got, "headers=<\n\tAccept: application/json\n") ||
		!strings.Contains(got, " [truncated ") {
		t.Error(got)
	}
}

// TestChunks: a list in pages is the whole list.
func TestChunks(t *testing.T) {
	c := up(t)
	all := typed(t, c, "get nodes,ns,cm -A -o name", "")
	if got := typed(t, c, "get nodes,ns,cm -A -o name --chunk-size=1", ""); got != all {
		t.Errorf("in pages\n%s\nas a whole\n%s", got, all)
	}
	table := typed(t, c, "get nodes", "")
	if got := typed(t, c, "get nodes --chunk-size=1", ""); got != table {
		t.Errorf("in pages\n%s\nas a whole\n%s", got, table)
	}
}
