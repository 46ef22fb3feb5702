package cluster_test

import (
	"strings"
	"testing"
	"time"

	"kubewalk/playground/cluster"
)

// ticking is a Pod that prints a line every second.
const ticking = "run tick --image=busybox --restart=Never -- sh -c \"i=0; while [ $i -lt 8 ]; do i=$((i+1)); echo tick $i; sleep 1; done; exit 3\""

// soFar is what the command of that number has printed so far.
func soFar(c *cluster.Cluster, n int) string {
	o := c.Outcomes()[n]
	return strings.TrimRight(o.Output+"\n"+o.Warning+o.Error, "\n")
}

// logs -f prints what is written from the moment on in which it is, and ends when the container has ended.
func TestFollowLogs(t *testing.T) {
	c := up(t)
	typed(t, c, ticking, "")
	typed(t, c, "wait --for=condition=Ready pod/tick", "")
	n := len(c.Outcomes())
	typed(t, c, "logs -f tick", "")
	c.RunUntil(c.Elapsed() + 3*time.Second)
	got := soFar(c, n)
	if !strings.HasPrefix(got, "tick 1\n") || strings.Contains(got, "tick 8") {
		t.Errorf("after 3 s: %q", got)
	}
	c.RunUntil(c.Elapsed() + 20*time.Second)
	if got := soFar(c, n); got != "tick 1\ntick 2\ntick 3\ntick 4\ntick 5\ntick 6\ntick 7\ntick 8" {
		t.Errorf("at the end: %q", got)
	}
	for line, want := range map[string]string{
		"logs -f tick --tail=1":          "tick 8",
		"logs -f tick --tail=2 --prefix": "[pod/tick/tick] tick 7\n[pod/tick/tick] tick 8",
		"logs -f tick --limit-bytes=9":   "tick 1\nti",
		"logs -f nosuch":                 `! error: error from server (NotFound): pods "nosuch" not found in namespace "default"`,
		"logs -f -l run=tick --tail=1":   "tick 8",
		"attach tick":                    "! error: cannot attach a container in a completed pod; current phase is Failed",
		"attach":                         "! error: at least 1 argument is required for attach",
		"attach a b c":                   "! error: expected POD, TYPE/NAME, or TYPE NAME, (at most 2 arguments) saw 3: [a b c]",
		"attach -it tick":                "! error: cannot attach a container in a completed pod; current phase is Failed",
	} {
		if got := typed(t, c, line, ""); got != want {
			t.Errorf("$ %s: %q, want %q", line, got, want)
		}
	}
}

// The next command ends it: what the container prints then is not shown.
func TestFollowUntilTheNextCommand(t *testing.T) {
	for _, line := range []string{"logs -f tick", "attach tick", "logs -f tick --all-containers"} {
		c := up(t)
		typed(t, c, ticking, "")
		typed(t, c, "wait --for=condition=Ready pod/tick", "")
		n := len(c.Outcomes())
		typed(t, c, line, "")
		c.RunUntil(c.Elapsed() + 2*time.Second)
		typed(t, c, "get pods", "")
		before := soFar(c, n)
		c.RunUntil(c.Elapsed() + 20*time.Second)
		if after := soFar(c, n); !strings.Contains(before, "tick") || after != before {
			t.Errorf("$ %s: %q, and after the next command %q", line, before, after)
		}
	}
}

// attach shows only what is printed from now on.
func TestAttach(t *testing.T) {
	c := up(t)
	typed(t, c, ticking, "")
	typed(t, c, "wait --for=condition=Ready pod/tick", "")
	c.RunUntil(c.Elapsed() + 2*time.Second)
	n := len(c.Outcomes())
	typed(t, c, "attach tick", "")
	c.RunUntil(c.Elapsed() + 20*time.Second)
	got := soFar(c, n)
	if strings.Contains(got, "tick 1\n") || !strings.HasPrefix(got, "tick ") || !strings.Contains(got, "tick 8\n") ||
		!strings.HasSuffix(got, "If you don't see a command prompt, try pressing enter.") {
		t.Errorf("%q", got)
	}
}

// A log of a container that is not there yet is asked for again.
func TestFollowWaitsForTheContainer(t *testing.T) {
	c := up(t)
	typed(t, c, ticking, "")
	n := len(c.Outcomes())
	typed(t, c, "logs -f tick", "")
	c.RunUntil(c.Elapsed() + 30*time.Second)
	got := soFar(c, n)
	if !strings.Contains(got, "tick 8") || !strings.Contains(got, `container "tick" in pod "tick" is waiting to start: ContainerCreating`) {
		t.Errorf("%q", got)
	}
}

// events -w goes on, and prints its heading once.
func TestWatchEvents(t *testing.T) {
	c := up(t)
	n := len(c.Outcomes())
	typed(t, c, "events -w --types=Normal", "")
	schedule(t, c, cluster.Input{At: c.Elapsed(), Kind: cluster.Create, Manifest: []byte(`{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"},
		"spec": {"containers": [{"name": "web", "image": "nginx"}]}}`)})
	c.RunUntil(c.Elapsed() + 20*time.Second)
	got := soFar(c, n)
	if strings.Count(got, "LAST SEEN") != 1 || !strings.Contains(got, "Scheduled") || !strings.Contains(got, "Started") || !strings.Contains(got, "Pod/web") {
		t.Errorf("%q", got)
	}
	typed(t, c, "delete pod web", "")
	before := soFar(c, n)
	typed(t, c, "get pods", "")
	c.RunUntil(c.Elapsed() + 20*time.Second)
	if after := soFar(c, n); after != before {
		t.Errorf("it goes on after the next command: %q", after)
	}
}

// request sends one from the machine at which commands are typed.
func request(t *testing.T, c *cluster.Cluster, url string) string {
	t.Helper()
	n := len(c.Outcomes())
	schedule(t, c, cluster.Input{At: c.Elapsed(), Kind: cluster.Ask, URL: url})
	c.RunUntil(c.Elapsed() + 5*time.Second)
	o := c.Outcomes()[n]
	if !o.Done {
		t.Errorf("%s: no answer", url)
	}
	return o.Output + o.Error
}

// port-forward opens a port, at which the Pod answers until the next command is typed.
func TestPortForward(t *testing.T) {
	config := cluster.DefaultConfig()
	config.Network = true
	c := cluster.New(config, 1)
	t.Cleanup(c.Close)
	c.RunUntil(30 * time.Second)
	typed(t, c, "run web --image=nginx --port=80", "")
	typed(t, c, "expose pod web --port=8000 --target-port=80", "")
	typed(t, c, "wait --for=condition=Ready pod/web", "")
	if got := request(t, c, "http://localhost:8080/"); got != "http://localhost:8080/: connection refused" {
		t.Errorf("nobody listens: %q", got)
	}
	n := len(c.Outcomes())
	if got := typed(t, c, "port-forward pod/web 8080:80", ""); got != "Forwarding from 127.0.0.1:8080 -> 80\nForwarding from [::1]:8080 -> 80" {
		t.Errorf("%q", got)
	}
	if got := request(t, c, "http://localhost:8080/"); !strings.HasPrefix(got, "200 ") {
		t.Errorf("%q", got)
	}
	if got := soFar(c, n); !strings.HasSuffix(got, "\nHandling connection for 8080") {
		t.Errorf("%q", got)
	}
	if got := typed(t, c, "port-forward svc/web 8081:8000 --address=127.0.0.1", ""); got != "Forwarding from 127.0.0.1:8081 -> 80" {
		t.Errorf("of a Service: %q", got)
	}
	if got := request(t, c, "http://localhost:8080/"); got != "http://localhost:8080/: connection refused" {
		t.Errorf("the first goes on after the next command: %q", got)
	}
	if got := request(t, c, "http://127.0.0.1:8081/"); !strings.HasPrefix(got, "200 ") {
		t.Errorf("%q", got)
	}
	n = len(c.Outcomes())
	typed(t, c, "port-forward web 9000:81", "")
	if got := request(t, c, "http://localhost:9000/"); got != "http://localhost:9000/: Empty reply from server" {
		t.Errorf("%q", got)
	}
	if got := soFar(c, n); !strings.Contains(got, "an error occurred forwarding 9000 -> 81: ") || !strings.HasSuffix(got, "error: lost connection to pod") {
		t.Errorf("%q", got)
	}
	for line, want := range map[string]string{
		"port-forward web":                     "! error: TYPE/NAME and list of ports are required for port-forward\n! See 'kubectl port-forward -h' for help and examples",
		"port-forward nosuch 80":               `! Error from server (NotFound): pods "nosuch" not found`,
		"port-forward web 8080:http":           "! error: Pod 'web' does not have a named port 'http'",
		"port-forward svc/web 8080:81":         "! error: Service web does not have a service port 81",
		"port-forward web 8080:":               "! error: remote port cannot be empty",
		"port-forward web a:80":                `! error: error parsing local port 'a': strconv.ParseUint: parsing "a": invalid syntax`,
		"port-forward web 8080:0":              "! error: remote port must be > 0",
		"port-forward web :80":                 "Forwarding from 127.0.0.1:32768 -> 80\nForwarding from [::1]:32768 -> 80",
		"port-forward web 8080:80 --address=x": "! error: x is not a valid IP",
		"port-forward web 80": "! Unable to listen on port 80: Listeners failed to create with the following errors: [unable to create listener: " +
			"Error listen tcp4 127.0.0.1:80: bind: permission denied unable to create listener: Error listen tcp6 [::1]:80: bind: permission denied]\n" +
			"! error: unable to listen on any of the requested ports: [{80 80}]",
	} {
		if got := typed(t, c, line, ""); got != want {
			t.Errorf("$ %s\ngot  %q\nwant %q", line, got, want)
		}
	}
}

// proxy opens a port at which the API server answers.
func TestProxy(t *testing.T) {
	c := up(t)
	if got := typed(t, c, "proxy", ""); got != "Starting to serve on 127.0.0.1:8001" {
		t.Errorf("%q", got)
	}
	for path, want := range map[string]string{
		"api/v1/namespaces/default":             `200 {"kind":"Namespace","apiVersion":"v1"`,
		"api/v1/namespaces/default/pods/nosuch": `404 {`,
		"version":                               "200 {",
		"api/v1/namespaces/default/pods/x/exec": "403 Forbidden",
		"nosuch":                                "404 {",
	} {
		if got := request(t, c, "http://127.0.0.1:8001/"+path); !strings.HasPrefix(got, want) {
			t.Errorf("/%s: %q", path, got)
		}
	}
	if got := typed(t, c, "proxy --port=8011 --api-prefix=/custom", ""); got != "Starting to serve on 127.0.0.1:8011" {
		t.Errorf("%q", got)
	}
	if got := request(t, c, "http://127.0.0.1:8011/custom/version"); !strings.HasPrefix(got, "200 {") {
		t.Errorf("%q", got)
	}
	if got := request(t, c, "http://127.0.0.1:8011/version"); got != "404 404 page not found" {
		t.Errorf("%q", got)
	}
	// The same port again, at once, and then nobody listens any more.
	typed(t, c, "proxy", "")
	typed(t, c, "proxy", "")
	if got := request(t, c, "http://127.0.0.1:8001/version"); !strings.HasPrefix(got, "200 {") {
		t.Errorf("of two commands in a row: %q", got)
	}
	typed(t, c, "get namespaces", "")
	if got := request(t, c, "http://127.0.0.1:8001/version"); got != "http://127.0.0.1:8001/version: connection refused" {
		t.Errorf("it goes on after the next command: %q", got)
	}
	if got := typed(t, c, "proxy --port=80", ""); got != "! error: listen tcp 127.0.0.1:80: bind: permission denied" {
		t.Errorf("%q", got)
	}
}

// cp copies by way of the terminal's machine.
func TestCopy(t *testing.T) {
	c := up(t)
	typed(t, c, "run a --image=busybox -- sh -c \"mkdir -p /data/deep; echo one >/data/1; echo -n two >/data/deep/2; while true; do sleep 5; done\"", "")
	typed(t, c, "run b --image=busybox -- sh -c \"mkdir /in; echo there >/in/x; while true; do sleep 5; done\"", "")
	typed(t, c, "wait --for=condition=Ready pod/a pod/b", "")
	for _, test := range []struct{ line, want string }{
		{"cp a:/data/1 /dev/stdout", "tar: removing leading '/' from member names\none"},
		{"cp a:/data/1 one", "tar: removing leading '/' from member names"},
		{"cp one b:/tmp/copied", ""},
		{"exec b -- cat /tmp/copied", "one"},
		{"cp one default/b:/in", ""}, // a directory
		{"exec b -- cat /in/one", "one"},
		{"cp a:/data all -c a", "tar: removing leading '/' from member names"},
		{"cp all b:/tmp/all", ""},
		{"exec b -- sh -c \"cat /tmp/all/1 /tmp/all/deep/2\"", "one\ntwo"},
		{"cp a:/data/deep/2 two --retries=3", "tar: removing leading '/' from member names"},
		{"cp two b:/tmp/two", ""},
		{"exec b -- cat /tmp/two", "two"},
		{"cp a:/nosuch x --retries=1", "tar: /nosuch: No such file or directory\ntar: error exit delayed from previous errors"}, // the shell ends with tail's code
		{"cp nosuch b:/tmp/x", "! error: nosuch doesn't exist in local filesystem"},
		{"cp a:/nosuch x", "tar: /nosuch: No such file or directory\ntar: error exit delayed from previous errors\n! command terminated with exit code 1"},
		{"cp one c:/x", `! Error from server (NotFound): pods "c" not found`},
		{"cp a:/x b:/x", "! error: one of src or dest must be a local file specification"},
		{"cp x y", "! error: one of src or dest must be a remote file specification"},
		{"cp a: y", "! error: filepath can not be empty"},
		{"cp a/b/c:/x y", "! error: filespec must match the canonical format: [[namespace/]pod:]file/path"},
		{"cp a:/x", "! error: source and destination are required"},
	} {
		if got := typed(t, c, test.line, ""); got != test.want {
			t.Errorf("$ %s\ngot  %q\nwant %q", test.line, got, test.want)
		}
	}
	path := strings.Repeat("a-long-name/", 12)
	typed(t, c, "exec a -- sh -c \"mkdir -p /"+path+"; echo far >/"+path+"end\"", "")
	typed(t, c, "cp a:/"+path+"end far", "")
	typed(t, c, "cp far b:/tmp/"+strings.Repeat("x", 120), "")
	if got := typed(t, c, "exec b -- cat /tmp/"+strings.Repeat("x", 120), ""); got != "far" {
		t.Errorf("%q", got)
	}
}

// Who uses a context whose user has a ServiceAccount's token is that account.
func TestUserOfTheKubeconfig(t *testing.T) {
	c := up(t)
	typed(t, c, "create serviceaccount robot", "")
	token := typed(t, c, "create token robot", "")
	typed(t, c, "config set-credentials robot --token="+token, "")
	typed(t, c, "config set-context as-robot --cluster=kubewalk --user=robot --namespace=kube-system", "")
	if got := typed(t, c, "auth whoami -o jsonpath={.status.userInfo.username} --context=as-robot", ""); got != "system:serviceaccount:default:robot" {
		t.Errorf("%q", got)
	}
	typed(t, c, "config set-credentials stranger --token=abc", "")
	typed(t, c, "config set-context as-robot --user=stranger", "")
	if got := typed(t, c, "get pods --context=as-robot", ""); got != "! error: You must be logged in to the server (Unauthorized)" {
		t.Errorf("%q", got)
	}
}

// create secret tls reads the two files as they are, also those that were copied out of a container.
func TestCreateSecretTLS(t *testing.T) {
	c := up(t)
	block := func(kind string) string {
		return strings.NewReplacer("\n", `\n`).Replace("-----BEGIN " + kind + "-----\nAAAA\n-----END " + kind + "-----\n")
	}
	cert, key := block("CERTIFICATE"), block("EC PRIVATE KEY")
	files := func(cert, key string) string { return `{"tls.crt":"` + cert + `","tls.key":"` + key + `"}` }
	for _, test := range []struct{ line, files, want string }{
		{"create secret tls web --cert=tls.crt --key=tls.key", files(cert, key), "secret/web created"},
		{"create secret tls web --cert=tls.crt --key=tls.key", files(cert, key), `! error: failed to create secret secrets "web" already exists`},
		{"get secret web", "", "NAME   TYPE                DATA   AGE\nweb    kubernetes.io/tls   2      0s"},
		{"get secret web -o jsonpath={.data}", "", `{"tls.crt":"LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCkFBQUEKLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo=",` +
			`"tls.key":"LS0tLS1CRUdJTiBFQyBQUklWQVRFIEtFWS0tLS0tCkFBQUEKLS0tLS1FTkQgRUMgUFJJVkFURSBLRVktLS0tLQo="}`},
		{"create secret tls other --cert=tls.crt --key=tls.key -n nosuch", files(cert, cert+key), `! error: failed to create secret namespaces "nosuch" not found`},
		{"create secret tls other --cert=tls.crt --key=tls.key --dry-run=client -o name", files(key+cert, key), "secret/other"},
		{"create secret tls web", "", "! error: key and cert must be specified"},
		{"create secret tls web --cert=tls.crt --key=tls.pem", files(cert, key), "! error: Cannot read file tls.pem, open tls.pem: no such file or directory"},
		{"create secret tls web --cert=tls.crt --key=tls.key", files("x", key), "! error: tls: failed to find any PEM data in certificate input"},
		{"create secret tls web --cert=tls.crt --key=tls.key", `{"tls.crt":{"kind":"Pod"},"tls.key":""}`, "! error: tls: failed to find any PEM data in certificate input"},
		{"create secret tls web --cert=tls.crt --key=tls.key", files(key, cert),
			"! error: tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched"},
		{"create secret tls web --cert=tls.crt --key=tls.key", files(key+block("X"), key),
			`! error: tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [EC PRIVATE KEY X]`},
		{"create secret tls web --cert=tls.crt --key=tls.key", files(cert, ""), "! error: tls: failed to find any PEM data in key input"},
		{"create secret tls web --cert=tls.crt --key=tls.key", files(cert, cert), "! error: tls: found a certificate rather than a key in the PEM for the private key"},
		{"create secret tls web --cert=tls.crt --key=tls.key", files(cert, block("EC PARAMETERS")),
			`! error: tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [EC PARAMETERS]`},
		{`run a --image=busybox -- sh -c "echo '` + strings.ReplaceAll(cert+key, `\n`, `' >>/f; echo '`) + `' >>/f; sleep 1000"`, "", "pod/a created"},
		{"wait --for=condition=Ready pod/a", "", "pod/a condition met"},
		{"cp a:f out/both", "", ""},
		{"create secret tls copied --cert=out/both --key=./out/both", "", "secret/copied created"},
		{"get secret -o name", "", "secret/copied\nsecret/web"},
	} {
		if got := typed(t, c, test.line, test.files); got != test.want {
			t.Errorf("$ %s\n%s\ngot  %q\nwant %q", test.line, test.files, got, test.want)
		}
	}
}

// create configmap and create secret read files as they are: those that they are given, YAML as the editor shows it, and those that were copied out of a
// container, text or not.
func TestCreateFromFiles(t *testing.T) {
	c := up(t)
	typed(t, c, "apply -f -", `[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"from"},"binaryData":{"f":"/2E="}},
		{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"volumes":[{"name":"v","configMap":{"name":"from"}}],
		"containers":[{"name":"c","image":"busybox","command":["sleep","1000"],"volumeMounts":[{"name":"v","mountPath":"/from"}]}]}}]`)
	typed(t, c, "wait --for=condition=Ready pod/a", "")
	const files = `{"a.env":"\ufeff# of two\n A=b = c\r\n\nB\n","d/one":"1","d/two.yaml":{"z":1.5,"kind":"Pod"},"d/e/three":"",` +
		`"bad.env":"A=1\nB C=2","other.env":"A=2","d.yaml":[{"a":1},{"b":2}],"p.yaml":[{"op":"add"},{"op":"remove"}],"x/a b":"","x/..b":""}`
	const badKey = `a valid config key must consist of alphanumeric characters, '-', '_' or '.' ` +
		`(e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')`
	for _, test := range []struct{ line, want string }{
		{"create configmap one --from-file=d --from-file=k=d.yaml,p.yaml --from-literal=l='\"v\"' --dry-run=client -o jsonpath={.data}",
			`{"k":"a: 1\n---\nb: 2\n","l":"\"v\"","one":"1","p.yaml":"- op: add\n- op: remove\n","two.yaml":"kind: Pod\nz: 1.5\n"}`},
		{"create secret generic one --from-file=./d/e/ --from-file k=d/one --from-literal=l=v --type=t -o jsonpath={.data}{.type}",
			`{"k":"MQ==","l":"dg==","three":""}t`},
		{"create configmap env --from-env-file=a.env -o jsonpath={.data}", `{"A":"b = c","B":""}`},
		{"create secret generic env --from-env-file=a.env -o jsonpath={.data}", `{"A":"YiA9IGM=","B":""}`},
		{"create secret docker-registry r --from-file=d/one -o jsonpath={.data}",
			`! error: failed to create secret Secret "r" is invalid: data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": *`},
		{"create secret docker-registry r --from-file=.dockerconfigjson=x.json", "! error: error reading x.json: no such file or directory"},
		{"create secret docker-registry r --from-file=d", "! error: cannot give a key name for a directory path"},
		{"create configmap x --from-file=", "configmap/x created"},
		{"create configmap y --from-file=nosuch", "! error: error reading nosuch: no such file or directory"},
		{"create configmap y --from-env-file=d", "! error: env config file cannot be a directory"},
		{"create secret generic y --from-env-file=d", "! error: env secret file cannot be a directory"},
		{"create secret generic y --from-env-file=nosuch", "! error: error reading nosuch: no such file or directory"},
		{"create configmap y --from-env-file=a.env,other.env", `! error: cannot add key "A", another key by that name already exists in Data for ConfigMap "y"`},
		{"create configmap y --from-env-file=bad.env", `! error: "B C" is not a valid key name: a valid environment variable name must consist of*`},
		{"create configmap y --from-env-file=a.env --from-file=a.env", "! error: from-env-file cannot be combined with from-file or from-literal"},
		{"create configmap y --from-file=k=d", "! error: cannot give a key name for a directory path"},
		{"create configmap y --from-file==d", "! error: key name for file path d missing"},
		{"create configmap y --from-file=k=", "! error: file path for key name k missing"},
		{"create configmap y --from-file=k=a=b", "! error: key names or file paths cannot contain '='"},
		{"create configmap y --from-file=x", `! error: "..b" is not a valid key name for a ConfigMap: must not start with '..'`},
		{"create secret generic y --from-file='x/a b'", `! error: "a b" is not valid key name for a Secret ` + badKey},
		{"create secret generic y --from-literal=k=v --from-file=k=d/one", "! error: cannot add key k, another key by that name already exists"},
		{"exec a -- sh -c 'cat /from/f >/f'", ""},
		{"cp a:f d/bytes", ""},
		{"create configmap bytes --from-file=d -o jsonpath={.data}{.binaryData}", `{"one":"1","two.yaml":"kind: Pod\nz: 1.5\n"}{"bytes":"/2E="}`},
		{"create configmap y --from-file=k=d/bytes,k=d/one", `! error: cannot add key "k", another key by that name already exists in BinaryData for ConfigMap "y"`},
		{"create configmap y --from-env-file=d/bytes", "! error: env file d/bytes contains invalid utf8 bytes at line 1: [255 97]"},
	} {
		begin, open := strings.CutSuffix(test.want, "*")
		if got := typed(t, c, test.line, files); got != test.want && !(open && strings.HasPrefix(got, begin)) {
			t.Errorf("$ %s\ngot  %q\nwant %q", test.line, got, test.want)
		}
	}
}

// __complete asks the server for names, where the kubeconfig and the line say that they are.
func TestCompleteNames(t *testing.T) {
	c := up(t)
	const ended = "\n! Completion ended with directive: ShellCompDirectiveNoFileComp"
	typed(t, c, "create configmap one --from-literal=a=b", "")
	typed(t, c, "create configmap only --from-literal=a=b -n kube-system", "")
	for _, test := range []struct{ line, want string }{
		{"__complete get cm o", "one\n:4" + ended},
		{"__complete get cm ''", "kube-root-ca.crt\none\n:4" + ended},
		{"__complete get cm -n kube-system on", "only\n:4" + ended},
		{"__complete delete cm -A on", "one\nonly\n:4" + ended},
		{"__complete describe configmap/o", "configmap/one\n:4" + ended},
		{"__completeNoDesc get cm -n kube-s", "kube-system\n:4" + ended},
		{"__complete get nosuch ''", ":4" + ended},
		{"config set-context --current --namespace=kube-system", `Context "kubewalk" modified.`},
		{"__complete get cm on", "only\n:4" + ended},
	} {
		if got := typed(t, c, test.line, ""); got != test.want {
			t.Errorf("$ %s\ngot  %q\nwant %q", test.line, got, test.want)
		}
	}
}
