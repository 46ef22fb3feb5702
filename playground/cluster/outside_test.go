package cluster_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/metricsv1beta1"
	"kubewalk/playground/cluster"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/sim"
)

// Whoever only reads changes nothing: with thousands of requests, watches that come and go, and a server that fails, the trace is the
// same, byte for byte, as without.
func TestReadsMakeNoDifference(t *testing.T) {
	run := func(reader bool) (text string, answers, events int) {
		config := cluster.DefaultConfig()
		config.Network, config.Metrics, config.Nodes = true, true, cluster.NumberedNodes(2)
		c := cluster.New(config, 5)
		defer c.Close()
		second := func(n int) time.Duration { return time.Duration(n) * time.Second }
		for _, in := range []cluster.Input{
			{At: second(10), Kind: cluster.Apply, Manifest: []byte(webManifest)},
			{At: second(12), Kind: cluster.Fail, Component: cluster.APIServer, Value: "503 30%"},
			{At: second(18), Kind: cluster.Heal, Component: cluster.APIServer},
			{At: second(20), Kind: cluster.Scale, Resource: "replicasets", Name: "web", Replicas: new(int32)},
			{At: second(22), Kind: cluster.Stop, Component: cluster.APIServer},
			{At: second(24), Kind: cluster.Start, Component: cluster.APIServer},
			{At: second(28), Kind: cluster.Stop, Component: cluster.Etcd},
			{At: second(33), Kind: cluster.Start, Component: cluster.Etcd},
			{At: second(36), Kind: cluster.APIRequest, Method: "PATCH", URL: "/apis/apps/v1/namespaces/default/replicasets/web/scale",
				ContentType: "application/merge-patch+json", Body: `{"spec":{"replicas":2}}`},
		} {
			if err := c.Schedule(in); err != nil {
				t.Fatal(err)
			}
		}
		var open []func()
		chance := sim.NewRand(7)
		for at := time.Duration(0); at < second(50); at += chance.Between(0, 40*time.Millisecond) {
			c.RunUntil(at)
			if !reader {
				continue
			}
			pods := api.GroupVersionResource{Version: "v1", Resource: "pods"}
			answered := func(cluster.Answer) { answers++ }
			switch n := chance.IntN(100); {
			case n < 40:
				c.Send(&client.Request{Verb: client.List, Resource: pods}, answered)
			case n < 55:
				c.Send(&client.Request{Verb: client.List, Resource: pods, List: metav1.ListOptions{ResourceVersion: "0"}}, answered)
			case n < 70:
				c.Send(&client.Request{Verb: client.Get, Resource: pods, Namespace: "default", Name: "web"}, answered)
			case n < 75:
				c.Send(&client.Request{Verb: client.Get, Resource: pods, Namespace: "kube-system", Name: "coredns", Subresource: "log",
					Log: &corev1.PodLogOptions{}}, answered)
			case n < 80:
				for _, measured := range []string{"pods", "nodes"} {
					c.Send(&client.Request{Verb: client.List, Resource: metricsv1beta1.GroupVersion.WithResource(measured)}, answered)
				}
			case n < 90:
				options := metav1.ListOptions{AllowWatchBookmarks: n%2 == 0}
				open = append(open, c.Watch(&client.Request{Verb: client.Watch, Resource: pods, List: options}, func(error) {},
					func(client.Event) { events++ }, func() {}))
			case len(open) > 0:
				open[0]()
				open = open[1:]
			}
		}
		var b bytes.Buffer
		if err := c.Trace().Print(&b); err != nil {
			t.Fatal(err)
		}
		for _, o := range c.Outcomes() {
			fmt.Fprintf(&b, "%s: %s%s\n", o.Input, o.Output, o.Error)
		}
		return b.String(), answers, events
	}
	want, _, _ := run(false)
	got, answers, events := run(true)
	if answers < 1000 || events < 500 {
		t.Errorf("%d answers and %d events are too few to tell", answers, events)
	}
	if got != want {
		a, b := []byte(got), []byte(want)
		i := 0
		for i < min(len(a), len(b)) && a[i] == b[i] {
			i++
		}
		t.Errorf("the runs differ from byte %d of %d on:\nwith    …%.300s\nwithout …%.300s", i, len(want), a[max(0, i-200):], b[max(0, i-200):])
	}
}

// What is given at once is the same as what was scheduled before.
func TestGive(t *testing.T) {
	requests := []cluster.Input{
		{Kind: cluster.APIRequest, Method: "POST", URL: "/api/v1/namespaces/default/configmaps", Agent: "curl", Body: `{"metadata":{"name":"c"}}`},
		{Kind: cluster.APIRequest, Method: "POST", URL: "/api/v1/namespaces/default/configmaps", Body: `{"metadata":{"name":"c"}}`},
		{Kind: cluster.APIRequest, Method: "PUT", URL: "/api/v1/namespaces/default/configmaps/c", Body: `{"data":{"a":"b"`},
		{Kind: cluster.APIRequest, Method: "DELETE", URL: "/api/v1/namespaces/default/configmaps?labelSelector=a%3Db"},
	}
	live := cluster.New(cluster.DefaultConfig(), 3)
	defer live.Close()
	var given []cluster.Input
	var said []string
	for i, in := range requests {
		live.RunUntil(time.Duration(i+5)*777_777_777 + 1)
		in, err := live.Give(in, func(o cluster.Outcome, a cluster.Answer) { said = append(said, fmt.Sprint(a.Code, " ", o.Error)) })
		if err != nil {
			t.Fatal(err)
		}
		given = append(given, in)
	}
	again := cluster.New(cluster.DefaultConfig(), 3)
	defer again.Close()
	for _, in := range given {
		if err := again.Schedule(in); err != nil {
			t.Fatal(err)
		}
	}
	var a, b bytes.Buffer
	for c, to := range map[*cluster.Cluster]*bytes.Buffer{live: &a, again: &b} {
		c.RunUntil(15 * time.Second)
		if err := c.Trace().Print(to); err != nil {
			t.Fatal(err)
		}
	}
	if a.String() != b.String() {
		t.Error("the runs differ")
	}
	want := "[201  409 configmaps \"c\" already exists 400 the object provided is unrecognized (must be of type ConfigMap): " +
		"couldn't get version/kind; json parse error: unexpected end of JSON input ({\"data\":{\"a\":\"b\") 200 ]"
	if fmt.Sprint(said) != want {
		t.Errorf("answers %v\nwant    %s", said, want)
	}
}

func TestAPIRequestsThatAreNone(t *testing.T) {
	for _, test := range []struct {
		in   cluster.Input
		want string
	}{
		{cluster.Input{Method: "POST", URL: "configmaps"}, `input "api-request": path "configmaps" is not a path of the API, such as /api/v1/namespaces/default/configmaps`},
		{cluster.Input{Method: "POST", URL: "/healthz"}, `input "api-request": path "/healthz" is about no resource`},
		{cluster.Input{Method: "GET", URL: "/api/v1/pods"}, `input "api-request": GET only reads: write kubectl: get --raw '/api/v1/pods'`},
		{cluster.Input{Method: "GET", URL: "/api/v1/namespaces/a/pods/b/attach"},
			`input "api-request": GET only reads: write kubectl: get --raw '/api/v1/namespaces/a/pods/b/attach'`},
		{cluster.Input{Method: "PUT", URL: "/api/v1/namespaces/a/pods/b", ContentType: "text/plain"},
			`input "api-request": the body of the request was in an unknown format - accepted media types include: application/json, application/yaml`},
	} {
		test.in.Kind = cluster.APIRequest
		if err := test.in.Validate(); err == nil || err.Error() != test.want {
			t.Errorf("%s: %v\nwant %s", test.in, err, test.want)
		}
	}
}
