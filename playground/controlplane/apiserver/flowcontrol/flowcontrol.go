// Package flowcontrol has the FlowSchemas and PriorityLevelConfigurations of every cluster.
//
// Absent: what they are for. Requests are put into no queues and none is refused: in virtual time a server is never overloaded. Nobody writes
// their status, and who changes the objects that are kept up to date in a real cluster finds them changed.
//
// Upstream: apiserver/pkg/apis/flowcontrol/bootstrap/default.go, from which bootstrap.json was made, and pkg/registry/flowcontrol/rest, which
// stores them.
package flowcontrol

import (
	_ "embed"
	"encoding/json"

	"kubewalk/playground/api"
	"kubewalk/playground/api/flowcontrolv1"
)

//go:embed bootstrap.json
var text []byte

// Objects are those of every cluster, and which of them must be as they are.
type Objects struct {
	FlowSchemas                 []flowcontrolv1.FlowSchema
	PriorityLevelConfigurations []flowcontrolv1.PriorityLevelConfiguration
}

func read() (all struct{ Mandatory, Suggested Objects }) {
	if err := json.Unmarshal(text, &all); err != nil {
		panic(err) // the file is a part of the program
	}
	return all
}

// Mandatory are those whose specs nobody may change.
func Mandatory() Objects { return read().Mandatory }

// Bootstrap are all of them.
func Bootstrap() (out []api.Object) {
	all := read()
	for _, group := range []Objects{all.Suggested, all.Mandatory} {
		for i := range group.PriorityLevelConfigurations {
			out = append(out, &group.PriorityLevelConfigurations[i])
		}
		for i := range group.FlowSchemas {
			out = append(out, &group.FlowSchemas[i])
		}
	}
	return out
}
