package conformance

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/cluster"
)

// certificate makes one, and its key, in PEM.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	c, err := x509.CreateCertificate(rand.Reader, template, template, &k.PublicKey, k)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalECPrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	block := func(kind string, bytes []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes}))
	}
	return block("CERTIFICATE", c), block("EC PRIVATE KEY", der)
}

// create secret tls makes the same Secret in the page as the real one does of the same files, and says the same of those that it refuses.
func TestPagesSecretsOfCertificates(t *testing.T) {
	p := serve(t, cluster.DefaultConfig(), 1)
	page := cluster.New(cluster.DefaultConfig(), 1)
	defer page.Close()
	page.RunUntil(15 * time.Second)
	cert, key := certificate(t)
	const other = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n"
	texts := map[string]string{"tls.crt": cert, "tls.key": key, "chain": "of two:\n" + cert + cert, "with-parameters": other + key, "empty": "", "other": other,
		"many": key + other, "indented": " " + cert, "headers": strings.Replace(key, "KEY-----\n", "KEY-----\nProc-Type: 4\n\n", 1)}
	files := map[string]string{}
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(p.folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		files[name] = text
	}
	manifest, err := json.Marshal(files)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"create secret tls web --cert=tls.crt --key=tls.key",
		"create secret tls web --cert=tls.crt --key=tls.key",
		"create secret tls chain --cert chain --key with-parameters",
		"create secret tls dry --cert=tls.crt --key=tls.key --dry-run=client -o yaml",
		"create secret tls dry --cert=tls.crt --key=tls.key --dry-run=server",
		"create secret tls hashed --cert=tls.crt --key=tls.key --append-hash",
		"create secret tls headers --cert=tls.crt --key=headers -o name",
		"create secret tls x --cert=tls.crt --key=tls.key -n nosuch",
		"create secret tls x --cert=tls.crt --key=tls.crt",
		"create secret tls x --cert=tls.key --key=tls.crt",
		"create secret tls x --cert=empty --key=tls.key",
		"create secret tls x --cert=indented --key=tls.key",
		"create secret tls x --cert=tls.crt --key=empty",
		"create secret tls x --cert=many --key=tls.key",
		"create secret tls x --cert=tls.crt --key=other",
		"create secret tls x --cert=nosuch --key=tls.key",
		"create secret tls x --cert=tls.crt --key=d/nosuch",
		"create secret tls x --cert=tls.crt",
		"create secret tls x --key=tls.key",
		"create secret tls --cert=tls.crt --key=tls.key",
		"get secrets -o jsonpath='{range .items[*]}{.metadata.name}{.type}{.data}{.metadata.annotations}{end}'",
	} {
		p.same(page, "kubectl "+line, string(manifest))
	}
}

// same has the real kubectl, and the page's with what it reads, print the same.
func (p *port) same(page *cluster.Cluster, line, manifest string) {
	p.Helper()
	stdout, stderr, code := p.kubectl(line, "")
	args, err := cluster.ParseCommand(line)
	if err != nil {
		p.Errorf("$ %s: %v", line, err)
		return
	}
	o := typed(p.T, page, args, manifest)
	stdout, stderr = strings.TrimRight(stdout, "\n"), strings.TrimRight(stderr, "\n")
	if o.Output != stdout || o.Warning+o.Error != stderr || (o.Error != "") != (code != 0) {
		p.Errorf("$ %s\nprints   %q %q\nthe real %q %q (%d)", line, o.Output, o.Warning+o.Error, stdout, stderr, code)
	}
}

// create configmap and create secret make the same in the page as the real ones do of the same files, and refuse the same.
func TestPagesObjectsOfFiles(t *testing.T) {
	p := serve(t, cluster.DefaultConfig(), 1)
	page := cluster.New(cluster.DefaultConfig(), 1)
	defer page.Close()
	page.RunUntil(15 * time.Second)
	const config = "# as it is\nb:   1\na: [x, y] # in no order\n"
	files := map[string]string{"config.yaml": config, "app.env": "\ufeff# two\n  A=b = c \r\n\nNOT_SET_ANYWHERE\n", "a-b.env": "x.y-z=\"q\"",
		"digit.env": "A=1\n1A=2\n", "blank.env": "A =1",
		"dots.env": "..A=1", "none.env": "=1", "long.env": "A=" + strings.Repeat("x", 70_000) + "\nB=2\n",
		"nearly.env": "A=" + strings.Repeat("x", 65_533) + "\nB=2\n", "empty": "", "d/one": "1", "d/two.txt": "2\n", "d/e/three": "3",
		"d/one.env": "A=2",
		"x/a b":     "", "y/..z": "", strings.Repeat("k", 254): "", "docker.json": `{"auths":{}}`}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(p.folder, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(p.folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	manifest, err := json.Marshal(files)
	if err != nil {
		t.Fatal(err)
	}
	for _, sources := range []string{
		"--from-file=config.yaml", "--from-file=k=config.yaml --from-file a-b.env,empty", "--from-file=d", "--from-file=d/ --from-file=./d/e",
		"--from-file=d --from-literal=l='\"v\"'",
		"--from-file=", "--from-file=nosuch", "--from-file=k=d/nosuch", "--from-file=k=d", "--from-file==d", "--from-file=k=", "--from-file=k=a=b",
		"--from-file=x", "--from-file=y",
		"--from-file='x/a b'", "--from-file=..k=empty", "--from-file=.=empty", "--from-file=..=empty", "--from-file='. .=empty'",
		"--from-file='..a b=empty'", "--from-file=d --from-file=d/one", "--from-literal=one=1 --from-file=d/one",
		"--from-literal=a --from-file=nosuch", "--from-literal=a=b --from-literal=a=c", "--from-file=" + strings.Repeat("k", 254),
		"--from-file=./d/../config.yaml",
		"--from-env-file=app.env", "--from-env-file=app.env --from-env-file a-b.env", "--from-env-file=app.env,a-b.env",
		"--from-env-file=app.env,d/one.env", "--from-env-file=digit.env",
		"--from-env-file=blank.env", "--from-env-file=dots.env", "--from-env-file=none.env", "--from-env-file=long.env",
		"--from-env-file=nearly.env", "--from-env-file=empty", "--from-env-file=nosuch", "--from-env-file=d",
		"--from-env-file=app.env --from-file=d", "--from-env-file=app.env --from-literal=a=b",
	} {
		p.same(page, "kubectl create configmap x --dry-run=client -o yaml "+sources, string(manifest))
		p.same(page, "kubectl create secret generic x --dry-run=client -o yaml "+sources, string(manifest))
		p.same(page, "kubectl create configmap x --append-hash --dry-run=client -o name "+sources, string(manifest))
		p.same(page, "kubectl create secret generic x --append-hash --dry-run=client -o name --type=t "+sources, string(manifest))
	}
	for _, line := range []string{
		"create configmap a --from-file=config.yaml --from-file=d",
		"create configmap a --from-file=config.yaml",
		"create secret generic a --from-env-file=app.env --type=t",
		"create secret generic a --from-env-file=app.env",
		"create secret docker-registry r --from-file=docker.json",
		"create secret docker-registry r2 --from-file=.dockerconfigjson=docker.json --docker-username=ignored",
		"create secret docker-registry r3 --from-file=k=docker.json",
		"create secret docker-registry r3 --from-file=config.yaml",
		"create secret docker-registry r3 --from-file=d",
		"create secret docker-registry r3 --from-file=docker.json,docker.json",
		"create secret docker-registry r3 --from-file=nosuch",
		"create secret docker-registry r3",
		"create configmap a --append-hash --from-file=config.yaml --from-file=d",
		"create configmap empty --append-hash",
		"create configmap a --append-hash=false --from-literal=a=b -n nosuch",
		"create secret generic a --append-hash",
		"create secret docker-registry r --append-hash --from-file=docker.json",
		"create secret docker-registry r --append-hash --docker-username=u --docker-password=p --dry-run=server -o name",
		"create secret docker-registry r --docker-username=u --docker-password=p --docker-server=",
		"get configmaps,secrets -o jsonpath='{range.items[*]}{.metadata.name}{.type}{.data}{.binaryData}{end}'",
	} {
		p.same(page, "kubectl "+line, string(manifest))
	}
}

// apply edit-last-applied does the same in the page, where an editor is beside the command line, as the real one with an editor of its own.
func TestPagesEditOfWhatWasApplied(t *testing.T) {
	p := serve(t, cluster.DefaultConfig(), 1)
	page := cluster.New(cluster.DefaultConfig(), 1)
	defer page.Close()
	page.RunUntil(15 * time.Second)
	const applied = `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "labels": {"n": "1"}}, "data": {"k": "<v> & 'w'", "l": "x"}}`
	const role = `{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "r"}, "rules": []}`
	for _, manifest := range []string{applied, role} {
		p.kubectl("kubectl apply -f -", manifest)
		typed(t, page, []string{"apply", "-f", "-"}, manifest)
	}
	p.same(page, "kubectl create configmap b --from-literal=k=v", "")
	remembered := func(object string) string {
		o := typed(t, page, []string{"apply", "view-last-applied", object, "-o", "json"}, "")
		return o.Output
	}
	for _, test := range []struct{ line, object, yaml, json string }{ // what sed puts in the place of what, in the real one's editor and in the page's JSON
		{"", "cm/a", "s/l: x/l: z/", `"l": "x"/"l": "z"`},
		{" -o yaml", "cm/a", "s/l: z/m: 1.50/", `"l": "z"/"m": 1.5`},
		{" -o json", "clusterrole/r", "s/rules: ../rules: [{verbs: [get]}]/", `"rules": []/"rules": [{"verbs": ["get"]}]`},
		{"", "cm/a", "s/name: a/name: z/", `"name": "a"/"name": "z"`},
		{" -n default", "cm/a", "s/namespace: default/namespace: x/", `"namespace": "default"/"namespace": "x"`},
	} {
		p.more = []string{"KUBE_EDITOR=sed -i '" + test.yaml + "'", "TMPDIR=" + p.folder}
		line := "kubectl apply edit-last-applied " + test.object + test.line
		if strings.HasSuffix(test.line, "json") { // the real one's editor has JSON, too
			p.more[0] = "KUBE_EDITOR=sed -i 's/\"rules\": ../\"rules\": [{\"verbs\": [\"get\"]}]/'"
		}
		was := remembered(test.object)
		old, new, _ := strings.Cut(test.json, "/")
		edited := strings.ReplaceAll(was, old, new)
		if edited == was {
			t.Fatalf("%s: %s is not in %s", line, old, was)
		}
		stdout, stderr, code := p.kubectl(line, "")
		args, err := cluster.ParseCommand(line)
		if err != nil {
			t.Fatal(err)
		}
		o := typed(t, page, args, "["+was+","+edited+"]")
		_, stderr, kept := strings.Cut("\n"+stderr, "\nA copy of your changes has been stored to ")
		if kept {
			_, stderr, _ = strings.Cut(stderr, "\n")
		}
		stdout, stderr = strings.TrimRight(stdout, "\n"), strings.TrimSpace(stderr)
		if o.Output != stdout || o.Warning+o.Error != stderr || (o.Error != "") != (code != 0) {
			t.Errorf("$ %s with %s\nprints   %q %q\nthe real %q %q (%d)", line, test.yaml, o.Output, o.Warning+o.Error, stdout, stderr, code)
		}
		p.same(page, "kubectl get "+test.object+" -o jsonpath={.metadata.annotations}{.metadata.labels}{.data}", "")
	}
	p.more = nil
	p.same(page, "kubectl apply edit-last-applied cm/b", "")
	p.same(page, "kubectl apply edit-last-applied cm/nosuch", "")
	p.same(page, "kubectl apply edit-last-applied nosuch/a", "")
}
