package demofile

import (
	"encoding/json"
	"strconv"
	"strings"

	"kubewalk/playground/api/resource"
	"kubewalk/playground/cluster"
)

// crashContainer reads {pod: web-*, container: web, exitCode: 3}.
func (a *action) crashContainer() string {
	rest := a.object(a.value, a.Input, crashForm)
	a.Container = rest["container"].Text("container")
	if code := rest["exitCode"]; code.There() {
		a.Value = strconv.FormatInt(code.whole("exitCode", 0, 255), 10)
	}
	a.aPod()
	return ""
}

func (a *action) useMemory() string { return a.uses("memory", useMemoryForm) }
func (a *action) useCPU() string    { return a.uses("cpu", useCPUForm) }

// uses reads {pod: web-*, container: web, memory: 200Mi}.
func (a *action) uses(what string, f *form) string {
	rest := a.object(a.value, a.Input, f)
	a.Container = rest["container"].Text("container")
	a.Value = a.quantity(rest[what], what, f.example)
	a.aPod()
	return ""
}

// aPod says so when what an input is about is no Pod.
func (a *action) aPod() {
	if a.Resource != "" && a.Resource != "pods" {
		a.Fail(a.value.Key, "%s applies to a pod, not %s", a.Kind, a.Resource)
	}
}

// quantity reads an amount that has to be there.
func (a *action) quantity(v value, what, example string) string {
	if !v.There() {
		a.Fail(a.value.Key, "%s needs %s, as in %s", a.Kind, what, example)
		return ""
	}
	text := v.Text(what)
	if q, err := resource.ParseQuantity(text); err != nil || q.Sign() < 0 {
		a.Fail(v.At, "%s %q is not an amount: write it as in %s", what, text, example)
	}
	return text
}

// registry reads registry-down: true, which has nothing to say.
func (a *action) registry() string {
	if text, ok := a.value.Scalar(); !ok || text != "true" {
		a.Fail(a.value.At, "%s is written as %s: true", a.Kind, a.Kind)
	}
	return ""
}

// image reads the name of an image.
func (a *action) image() string {
	if a.Name = a.value.Text("an image"); a.Name == "" {
		a.Fail(a.value.Key, "%s needs an image, as in %s: nginx:1.28", a.Kind, a.Kind)
	}
	return ""
}

// typed reads a line, or {line: ls, connection: 1}.
func (a *action) typed() string {
	if _, ok := a.value.Scalar(); ok {
		a.Value = a.value.Text("a line")
		return ""
	}
	m := a.value.mapping(typeForm)
	a.Value, a.Connection = m["line"].Text("line"), m["connection"].Text("connection")
	return ""
}

func (a *action) fillMemory() string { return a.fill("memory", fillMemoryForm) }
func (a *action) fillDisk() string   { return a.fill("disk", fillDiskForm) }

// fill reads {node: node-1, memory: 7Gi}.
func (a *action) fill(what string, f *form) string {
	m := a.value.mapping(f)
	a.theNode(m["node"], f.example)
	a.Value = a.quantity(m[what], what, f.example)
	return ""
}

func (a *action) theNode(v value, example string) {
	if !v.There() {
		a.Fail(a.value.Key, "%s needs a node, as in %s", a.Kind, example)
		return
	}
	a.Node = v.OneOf("node", nodeNames(a.scenario))
}

// slowKubelet reads {node: node-1, by: 2s}.
func (a *action) slowKubelet() string {
	m := a.value.mapping(slowKubelet)
	a.theNode(m["node"], slowKubelet.example)
	if by := m["by"]; by.There() {
		a.Value = by.duration("by", 0).String()
	} else {
		a.Fail(a.value.Key, "slow-kubelet needs by, as in %s", slowKubelet.example)
	}
	return ""
}

// load reads {service: web, cpu: 1500m}.
func (a *action) load() string {
	rest := a.object(a.value, a.Input, loadForm)
	a.Value = a.quantity(rest["cpu"], "cpu", loadForm.example)
	return ""
}

// setMetric reads {metric: queue_length, value: 30}, or {service: web, metric: requests, value: 90}.
func (a *action) setMetric() string {
	example := outsideMetricForm.example
	m := a.value.open("set-metric", example)
	if m["metric"].There() && len(a.value.entries()) <= 2 { // it comes from outside
		a.value.mapping(outsideMetricForm)
	} else {
		m = a.object(a.value, a.Input, objectMetricForm)
	}
	if a.Metric = m["metric"].Text("metric"); a.Metric == "" && len(a.value.entries()) > 0 {
		a.Fail(a.value.Key, "set-metric needs a metric, as in %s", example)
	}
	if m["value"].There() { // without one, the metric is taken away
		a.Value = a.quantity(m["value"], "value", example)
	}
	return ""
}

// request reads a URL, or {url: http://web, from: client}.
func (a *action) request() string {
	if text, ok := a.value.Scalar(); ok {
		a.URL = text
		return ""
	}
	m := a.value.mapping(requestForm)
	a.URL, a.From, a.Method = m["url"].Text("url"), m["from"].Text("from"), m["method"].Text("method")
	a.Body = m["body"].Text("body")
	if !m["url"].There() {
		a.Fail(a.value.Key, "request needs a url, as in %s", requestForm.example)
	}
	return ""
}

// apiRequest reads {method: DELETE, path: /api/v1/…}.
func (a *action) apiRequest() string {
	m := a.value.mapping(apiRequestForm)
	for _, key := range []string{"method", "path"} {
		if !m[key].There() {
			a.Fail(a.value.Key, "api-request needs a %s, as in %s", key, apiRequestForm.example)
			return ""
		}
	}
	a.Method, a.URL = m["method"].Text("method"), m["path"].Text("path")
	a.ContentType, a.Agent = m["contentType"].Text("contentType"), m["agent"].Text("agent")
	a.As, a.Connection = m["as"].Text("as"), m["connection"].Text("connection")
	if a.Connection != "" && !a.scenario.Cluster.Large() {
		a.Fail(m["connection"].At, "a connection needs the large control plane: add allKinds: true to cluster")
	}
	for _, item := range m["asGroups"].list("asGroups", "[developers]") {
		a.AsGroups = append(a.AsGroups, item.Text("a group"))
	}
	body := m["body"]
	if text, ok := body.Scalar(); ok {
		a.Body = text
	} else if body.There() {
		text, err := body.JSON()
		if err != nil {
			a.Fail(body.Key, "body: %v", err)
		}
		a.Body = string(text)
	}
	if err := a.Input.Validate(); err != nil {
		_, why, _ := strings.Cut(err.Error(), ": ")
		a.Fail(m["path"].At, "%s: %s", a.Kind, why)
	}
	return ""
}

// own reads {configmap: a, owner: b, blocks: true}.
func (a *action) own() string {
	rest := a.object(a.value, a.Input, ownForm)
	if a.Value = rest["owner"].Text("owner"); a.Value == "" {
		a.Fail(a.value.Key, "own needs an owner, as in %s", ownForm.example)
	}
	if rest["blocks"].Yes("blocks") {
		a.Value = "!" + a.Value
	}
	return ""
}

// reconfigure reads a list of schedulers' profiles.
func (a *action) reconfigure() string {
	a.Profiles = a.profiles(a.value)
	return ""
}

// profiles reads a list of schedulers' profiles as JSON.
func (b *builder) profiles(v value) json.RawMessage {
	b.schedulerProfiles(v, cluster.SchedulerPlugins()) // says what is wrong with them
	text, err := v.JSON()
	if err != nil {
		b.Fail(v.At, "the schedulers' profiles: %v", err)
	}
	return text
}
