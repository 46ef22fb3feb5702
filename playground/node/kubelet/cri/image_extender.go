//go:build !js || cel

package cri

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// schedulerExtender is an extender of a scheduler, for demos: it knows of nodes what the cluster does not.
//
//	--port=8888                   listens there
//	--reject=NODE=REASON          a node that no Pod may have, and why
//	--score=NODE=5                what a node is worth, from 0 to 10
//
// Upstream: kube-scheduler/extender/v1, types.go, for what it is asked and says.
var schedulerExtender = Behaviour{
	Images: []string{"kubewalk.dev/scheduler-extender"}, SizeBytes: 9437184, Entrypoint: []string{"/scheduler-extender"}, Memory: 12 << 20,
	shellless: true,
	Read: func(argv []string) (Program, bool) {
		if base(argv[0]) != "scheduler-extender" {
			return Program{}, false
		}
		port, e := int64(8888), extenderRules{rejects: map[string]string{}, scores: map[string]int64{}}
		for _, arg := range argv[1:] {
			name, value, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
			node, rest, pair := strings.Cut(value, "=")
			var err error
			switch name {
			case "port":
				if port, err = strconv.ParseInt(value, 10, 32); err != nil || port < 1 || port > 65535 {
					err = errors.New("write a port")
				}
			case "reject":
				if e.rejects[node] = rest; !pair {
					err = errors.New("write a node and a reason")
				}
			case "score":
				if e.scores[node], err = strconv.ParseInt(rest, 10, 64); err != nil || e.scores[node] < 0 || e.scores[node] > 10 {
					err = errors.New("write a node and a number from 0 to 10")
				}
			default:
				return Program{ExitCode: 2, Says: []string{"flag provided but not defined: " + arg}}, true
			}
			if err != nil {
				return Program{ExitCode: 2, Says: []string{fmt.Sprintf("invalid value %q for flag --%s: %v", value, name, err)}}, true
			}
		}
		return Program{Forever: true, Serves: true, Ports: []int32{int32(port)}, CPU: milli, LogsRequests: true, Admission: e}, true
	},
}

func init() { rareImages = append(rareImages, &schedulerExtender) }

// extenderRules is what it knows: it implements webhookServer, for its verbs.
type extenderRules struct {
	rejects map[string]string
	scores  map[string]int64
}

func (extenderRules) delay(string, string) time.Duration { return 2 * time.Millisecond }

type extenderQuestion struct {
	Nodes *struct {
		Items []json.RawMessage `json:"items"`
	}
	NodeNames *[]string
}

// review answers by the last part of the path: filter and prioritize.
func (e extenderRules) review(path, body string) (int, string) {
	var in extenderQuestion
	if err := json.Unmarshal([]byte(body), &in); err != nil {
		return 400, err.Error()
	}
	nodes := map[string]json.RawMessage{} // a node's name → the node, if it came whole
	if in.NodeNames != nil {
		for _, name := range *in.NodeNames {
			nodes[name] = nil
		}
	} else if in.Nodes != nil {
		for _, item := range in.Nodes.Items {
			var node struct {
				Metadata struct{ Name string }
			}
			if json.Unmarshal(item, &node) == nil {
				nodes[node.Metadata.Name] = item
			}
		}
	}
	var answer any
	switch base(path) {
	case "filter":
		failed, names, items := map[string]string{}, []string{}, []json.RawMessage{}
		for _, name := range slices.Sorted(maps.Keys(nodes)) {
			if why, ok := e.rejects[name]; ok {
				failed[name] = why
				continue
			}
			if names = append(names, name); nodes[name] != nil {
				items = append(items, nodes[name])
			}
		}
		result := map[string]any{"FailedNodes": failed}
		if in.NodeNames != nil {
			result["NodeNames"] = names
		} else {
			result["Nodes"] = map[string]any{"items": items}
		}
		answer = result
	case "prioritize":
		list := []map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(nodes)) {
			list = append(list, map[string]any{"Host": name, "Score": e.scores[name]})
		}
		answer = list
	default:
		return 404, "404 page not found"
	}
	out, _ := json.Marshal(answer) // strings and numbers
	return 200, string(out)
}
