package cluster_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"kubewalk/playground/cluster"
)

// documented are manifests in the manner of Kubernetes' documentation, as JSON: what a reader pastes into a page.
func documented(t *testing.T) (out [][]byte) {
	files, err := filepath.Glob("testdata/documented/*.yaml")
	if err != nil || len(files) < 15 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, document := range strings.Split(string(text), "\n---\n") {
			one, err := yaml.YAMLToJSON([]byte(document))
			if err != nil {
				t.Fatal(file, err)
			}
			list = append(list, string(one))
		}
		out = append(out, []byte("["+strings.Join(list, ",")+"]"))
	}
	return out
}

// TestDocumentedManifests: each is accepted, and what it says runs as it would elsewhere. (There is no storage class by default for web-0.)
func TestDocumentedManifests(t *testing.T) {
	w := newNetWorld(t, 1, false)
	for _, manifest := range documented(t) {
		if o := w.try(string(manifest)); o.Error != "" || strings.Contains(o.Output, "rror") {
			t.Errorf("%s\n%s%s", manifest, o.Output, o.Error)
		}
	}
	w.RunUntil(w.Elapsed() + 100*time.Second)
	table := func(line string) (out []string) {
		args, err := cluster.ParseCommand(line)
		if err != nil {
			t.Fatal(err)
		}
		n := len(w.Outcomes())
		w.do(cluster.Input{Kind: cluster.Command, Args: args})
		w.RunUntil(w.Elapsed() + time.Second)
		for row := range strings.SplitSeq(w.Outcomes()[n].Output, "\n") {
			out = append(out, strings.Join(strings.Fields(row), " "))
		}
		return out
	}
	for line, want := range map[string][]string{
		"kubectl get pods -A --no-headers": {
			"default configmap-demo-pod 1/1 Running 0", "default counter 2/2 Running 0", "default etcd-with-grpc 1/1 Running 0", "default goproxy 1/1 Running 0",
			"default hello- 0/1 Completed 0", "default liveness-exec 1/1 Running 1 ", "default liveness-http ",
			"default myapp- 2/2 Running 0", "default myapp-pod 1/1 Running 0", "default nginx-deployment- 1/1 Running 0",
			"default pi- 0/1 Completed 0", "default security-context-demo 1/1 Running 0", "default task-pv-pod 1/1 Running 0",
			"default two-containers 1/2 NotReady 0", "default web-0 0/1 Pending 0", "default with-node-affinity 0/1 Pending 0",
			"kube-system fluentd-elasticsearch- 1/1 Running 0", "quota-mem-cpu-example quota-mem-cpu-demo 1/1 Running 0"},
		"kubectl logs counter -c count-log-1":                                            {"0: ", "1: ", "60: "},
		"kubectl logs dapi-envars-fieldref":                                              {"", "node-", "dapi-envars-fieldref", "default"},
		"kubectl exec lifecycle-demo -- cat /usr/share/message":                          {"Hello from the postStart handler"},
		"kubectl get jobs --no-headers":                                                  {"indexed Complete 5/5", "pi Complete 1/1", "job-pod-failure-policy-example Failed 0/12", "hello- Complete 1/1"},
		"kubectl get pvc --no-headers":                                                   {"task-pv-claim Bound task-pv-volume 10Gi RWO manual", "www-web-0 Pending"},
		"kubectl get hpa --no-headers":                                                   {"php-apache Deployment/nginx-deployment cpu: <unknown>/50%, <unknown>/1k + 1 more... 1"},
		"kubectl get pdb --no-headers":                                                   {"zk-pdb 2 N/A 1", "zk-pdb2 N/A 30% 0"},
		"kubectl get ingress --no-headers":                                               {"minimal-ingress nginx-example *.foo.com 80, 443"},
		"kubectl logs -l job-name=indexed":                                               {"oof", "rab", "zab", "xuq", "zyx"},
		"kubectl exec configmap-demo-pod -- env":                                         {"GREETING=Warm greetings to 3", "SECRET_USERNAME=admin", "MY_NODE_NAME=node-"},
		"kubectl exec configmap-demo-pod -- cat /all/my-group/my-username":               {"admin"},
		"kubectl exec two-containers -c nginx-container -- curl -s localhost":            {"Hello from the debian container"},
		"kubectl get quota -n quota-mem-cpu-example -o jsonpath={.items[0].status.used}": {`{"count/deployments.apps":"0","limits.cpu":"800m","limits.memory":"800Mi"`},
	} {
		got := table(line)
		for _, one := range want {
			// What ends with a dash is followed by what the server has made up.
			name, rest, made := strings.Cut(one, "- ")
			if !slices.ContainsFunc(got, func(row string) bool {
				return strings.HasPrefix(row, one) || made && strings.HasPrefix(row, name+"-") && strings.Contains(row, " "+rest)
			}) {
				t.Errorf("$ %s\nhas no %s:\n%s", line, one, strings.Join(got, "\n"))
			}
		}
	}
}
