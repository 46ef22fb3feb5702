package metrics

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// decode reads what a kubelet answers at /metrics/resource, in the text format of Prometheus, into a batch. Of a node or container that has not
// all that it takes, nothing is kept. Simplified: labels have no escapes, as names in Kubernetes have none.
// Upstream: pkg/scraper/client/resource/decode.go.
func decode(text string, asked time.Time, node string, into batch) error {
	var whole point
	found := map[podRef]map[string]point{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		series, rest, ok := strings.Cut(line, " ")
		number, stamp, _ := strings.Cut(rest, " ")
		value, err := strconv.ParseFloat(number, 64)
		if !ok || err != nil {
			return fmt.Errorf("failed parsing metrics: %q", line)
		}
		at := asked
		if ms, err := strconv.ParseInt(stamp, 10, 64); err == nil {
			at = time.UnixMilli(ms).UTC()
		}
		name, labels, _ := strings.Cut(series, "{")
		switch name {
		case "node_cpu_usage_seconds_total":
			whole.cpu, whole.at = time.Duration(value*1e9), at
			continue
		case "node_memory_working_set_bytes":
			whole.memory = int64(value)
			continue
		}
		ref := podRef{label(labels, "namespace"), label(labels, "pod")}
		container := label(labels, "container")
		p := found[ref][container]
		switch name {
		case "container_cpu_usage_seconds_total":
			p.cpu, p.at = time.Duration(value*1e9), at
		case "container_memory_working_set_bytes":
			p.memory = int64(value)
		case "container_start_time_seconds":
			p.start = time.Unix(0, int64(value*1e9)).UTC()
		default:
			continue
		}
		if found[ref] == nil {
			found[ref] = map[string]point{}
		}
		found[ref][container] = p
	}
	if !whole.at.IsZero() && whole.cpu > 0 && whole.memory > 0 {
		into.nodes[node] = whole
	}
	for ref, containers := range found { // order: into a map
		complete := true
		for _, p := range containers { // order: all of them count
			complete = complete && !p.at.IsZero() && p.cpu > 0 && p.memory > 0
		}
		if complete {
			into.pods[ref] = containers
		}
	}
	return nil
}

// label is one of a series' labels: container="web",namespace="default",pod="web-1"}.
func label(labels, name string) string {
	_, rest, _ := strings.Cut(","+labels, ","+name+`="`)
	value, _, _ := strings.Cut(rest, `"`)
	return value
}
