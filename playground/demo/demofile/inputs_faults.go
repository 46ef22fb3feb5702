package demofile

import (
	"encoding/json"
	"strconv"
	"strings"

	"kubewalk/playground/api/resource"
)

// crashContainer reads {pod: web-*, container: web, exitCode: 3}.
func (a *action) crashContainer() string {
	rest := a.object(a.value, a.Input, crashForm)
	a.Container = rest["container"].text("container")
	if code := rest["exitCode"]; code.there() {
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
	a.Container = rest["container"].text("container")
	a.Value = a.quantity(rest[what], what, f.example)
	a.aPod()
	return ""
}

// aPod says so when what an input is about is no Pod.
func (a *action) aPod() {
	if a.Resource != "" && a.Resource != "pods" {
		a.fail(a.value.key, "%s applies to a pod, not %s", a.Kind, a.Resource)
	}
}

// quantity reads an amount that has to be there.
func (a *action) quantity(v value, what, example string) string {
	if !v.there() {
		a.fail(a.value.key, "%s needs %s, as in %s", a.Kind, what, example)
		return ""
	}
	text := v.text(what)
	if q, err := resource.ParseQuantity(text); err != nil || q.Sign() < 0 {
		a.fail(v.at, "%s %q is not an amount: write it as in %s", what, text, example)
	}
	return text
}

// registry reads registry-down: true, which has nothing to say.
func (a *action) registry() string {
	if text, ok := scalar(a.value.node); !ok || text != "true" {
		a.fail(a.value.at, "%s is written as %s: true", a.Kind, a.Kind)
	}
	return ""
}

// image reads the name of an image.
func (a *action) image() string {
	if a.Name = a.value.text("an image"); a.Name == "" {
		a.fail(a.value.key, "%s needs an image, as in %s: nginx:1.28", a.Kind, a.Kind)
	}
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
	if !v.there() {
		a.fail(a.value.key, "%s needs a node, as in %s", a.Kind, example)
		return
	}
	a.Node = v.oneOf("node", nodeNames(a.scenario))
}

// slowKubelet reads {node: node-1, by: 2s}.
func (a *action) slowKubelet() string {
	m := a.value.mapping(slowKubelet)
	a.theNode(m["node"], slowKubelet.example)
	if by := m["by"]; by.there() {
		a.Value = by.duration("by", 0).String()
	} else {
		a.fail(a.value.key, "slow-kubelet needs by, as in %s", slowKubelet.example)
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
	if m["metric"].there() && len(a.value.entries()) <= 2 { // it comes from outside
		a.value.mapping(outsideMetricForm)
	} else {
		m = a.object(a.value, a.Input, objectMetricForm)
	}
	if a.Metric = m["metric"].text("metric"); a.Metric == "" && len(a.value.entries()) > 0 {
		a.fail(a.value.key, "set-metric needs a metric, as in %s", example)
	}
	if m["value"].there() { // without one, the metric is taken away
		a.Value = a.quantity(m["value"], "value", example)
	}
	return ""
}

// request reads a URL, or {url: http://web, from: client}.
func (a *action) request() string {
	if text, ok := scalar(a.value.node); ok {
		a.URL = text
		return ""
	}
	m := a.value.mapping(requestForm)
	a.URL, a.From, a.Method = m["url"].text("url"), m["from"].text("from"), m["method"].text("method")
	a.Body = m["body"].text("body")
	if !m["url"].there() {
		a.fail(a.value.key, "request needs a url, as in %s", requestForm.example)
	}
	return ""
}

// apiRequest reads {method: DELETE, path: /api/v1/…}.
func (a *action) apiRequest() string {
	m := a.value.mapping(apiRequestForm)
	for _, key := range []string{"method", "path"} {
		if !m[key].there() {
			a.fail(a.value.key, "api-request needs a %s, as in %s", key, apiRequestForm.example)
			return ""
		}
	}
	a.Method, a.URL = m["method"].text("method"), m["path"].text("path")
	a.ContentType, a.Agent = m["contentType"].text("contentType"), m["agent"].text("agent")
	a.As = m["as"].text("as")
	for _, item := range m["asGroups"].list("asGroups", "[developers]") {
		a.AsGroups = append(a.AsGroups, item.text("a group"))
	}
	body := m["body"]
	if text, ok := scalar(body.node); ok {
		a.Body = text
	} else if body.there() {
		text, err := body.json()
		if err != nil {
			a.fail(body.key, "body: %v", err)
		}
		a.Body = string(text)
	}
	if err := a.Input.Validate(); err != nil {
		_, why, _ := strings.Cut(err.Error(), ": ")
		a.fail(m["path"].at, "%s: %s", a.Kind, why)
	}
	return ""
}

// own reads {configmap: a, owner: b, blocks: true}.
func (a *action) own() string {
	rest := a.object(a.value, a.Input, ownForm)
	if a.Value = rest["owner"].text("owner"); a.Value == "" {
		a.fail(a.value.key, "own needs an owner, as in %s", ownForm.example)
	}
	if rest["blocks"].yes("blocks") {
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
	b.schedulerProfiles(v) // says what is wrong with them
	text, err := v.json()
	if err != nil {
		b.fail(v.at, "the schedulers' profiles: %v", err)
	}
	return text
}
