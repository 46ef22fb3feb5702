package cluster

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/trace"
)

// template is a Pod that runs until it is stopped, of an app called NAME.
const template = `"template":{"metadata":{"labels":{"app":"NAME"}},"spec":{"terminationGracePeriodSeconds":1,"containers":[{"name":"c","image":"nginx:1.27","resources":{"requests":{"cpu":"1m"}}}]}}`

const selector = `"selector":{"matchLabels":{"app":"NAME"}},`

// perController has one object for each controller, with what else it needs.
// NAME stands for the object's name. Manifests are applied one after the other.
var perController = []struct {
	controller  string
	controllers []string // beside the one that is measured
	manifests   []string
	remove      string // the resource whose objects are deleted half-way; "" for none
}{
	{controller: "replicaset-controller",
		manifests: []string{`{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"NAME"},"spec":{"replicas":1,` + selector + template + `}}`}},
	{controller: "deployment-controller", controllers: []string{"replicaset-controller"},
		manifests: []string{`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"NAME"},"spec":{"replicas":1,` + selector + template + `}}`}},
	{controller: "daemonset-controller",
		manifests: []string{`{"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"NAME"},"spec":{` + selector + template + `}}`}},
	{controller: "statefulset-controller",
		manifests: []string{`{"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"NAME"},"spec":{"serviceName":"NAME","replicas":1,` +
			selector + template + `}}`}},
	{controller: "job-controller",
		manifests: []string{`{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"NAME"},"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"busybox:1.36","command":["sleep","2"]}]}}}}`}},
	{controller: "cronjob-controller", controllers: []string{"job-controller"},
		manifests: []string{`{"apiVersion":"batch/v1","kind":"CronJob","metadata":{"name":"NAME"},"spec":{"schedule":"* * * * *","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"busybox:1.36","command":["sleep","2"]}]}}}}}}`}},
	{controller: "ttl-after-finished-controller", controllers: []string{"job-controller", "garbage-collector-controller"},
		manifests: []string{`{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"NAME"},"spec":{"ttlSecondsAfterFinished":5,"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"busybox:1.36","command":["sleep","2"]}]}}}}`}},
	{controller: "garbage-collector-controller", controllers: []string{"replicaset-controller"}, remove: "replicasets",
		manifests: []string{`{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"NAME"},"spec":{"replicas":1,` + selector + template + `}}`}},
	{controller: "namespace-controller", remove: "namespaces", manifests: []string{`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"NAME"}}`}},
	{controller: "serviceaccount-controller", manifests: []string{`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"NAME"}}`}},
	{controller: "resourcequota-controller",
		manifests: []string{`{"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"NAME"},"spec":{"hard":{"pods":"1000"}}}`}},
	{controller: "disruption-controller", controllers: []string{"replicaset-controller"}, manifests: []string{
		`{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"NAME"},"spec":{` + selector + `"minAvailable":1}}`,
		`{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"NAME"},"spec":{"replicas":1,` + selector + template + `}}`}},
	{controller: "endpointslice-controller", controllers: []string{"replicaset-controller"}, manifests: []string{
		`{"apiVersion":"v1","kind":"Service","metadata":{"name":"NAME"},"spec":{"selector":{"app":"NAME"},"ports":[{"port":80}]}}`,
		`{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"NAME"},"spec":{"replicas":1,` + selector + template + `}}`}},
	{controller: "horizontal-pod-autoscaler-controller", controllers: []string{"deployment-controller", "replicaset-controller"}, manifests: []string{
		`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"NAME"},"spec":{"replicas":1,` + selector + template + `}}`,
		`{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"NAME"},"spec":{"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"NAME"},"minReplicas":1,"maxReplicas":3,"metrics":[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":50}}}]}}`}},
}

// BenchmarkControllers is what an object costs that a controller looks after:
// fifty are made at once, and two minutes pass. The same two minutes in the same
// cluster without objects are taken off. What schedulers and kubelets do for
// the object's Pods is part of it.
func BenchmarkControllers(b *testing.B) {
	const objects = 50
	for _, c := range perController {
		b.Run(c.controller, func(b *testing.B) {
			var with, without time.Duration
			for range b.N {
				without += twoMinutes(b, append(c.controllers, c.controller), nil, "")
				var manifests []string
				for i := range objects {
					for _, m := range c.manifests {
						manifests = append(manifests, strings.ReplaceAll(m, "NAME", fmt.Sprintf("x-%d", i)))
					}
				}
				with += twoMinutes(b, append(c.controllers, c.controller), manifests, c.remove)
			}
			b.ReportMetric(float64((with-without).Nanoseconds())/float64(b.N*objects), "ns/object")
		})
	}
}

// twoMinutes is how long the processor works on two minutes of a cluster.
func twoMinutes(b *testing.B, controllers, manifests []string, remove string) time.Duration {
	b.Helper()
	config := DefaultConfig()
	config.Trace, config.Controllers = trace.Off, controllers
	c := New(config, 1)
	defer c.Close()
	const start = 12 * time.Second
	for _, m := range manifests {
		if err := c.Schedule(Input{At: start, Kind: Apply, Manifest: []byte(m)}); err != nil {
			b.Fatal(err)
		}
	}
	if remove != "" {
		if err := c.Schedule(Input{At: start + time.Minute, Kind: Delete, Resource: remove, Namespace: "default", Name: "x-*"}); err != nil {
			b.Fatal(err)
		}
	}
	c.RunUntil(start - time.Millisecond)
	before := cpu()
	c.RunUntil(start + 2*time.Minute)
	used := cpu() - before
	for _, o := range c.Outcomes() {
		if o.Error != "" {
			b.Fatalf("%s: %s", o.Input, o.Error)
		}
	}
	return used
}
