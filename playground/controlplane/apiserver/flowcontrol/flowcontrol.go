// Package flowcontrol is priority and fairness: the FlowSchemas and PriorityLevelConfigurations of every cluster, and the Dispatcher, which has
// requests wait for their turn by them.
//
// Simplified: every request takes one seat, however much a list returns or a write tells watchers. The queues of a priority level take turns,
// where upstream's have a clock of their own. A level never borrows what another does not need. Who is not allowed to do something takes no
// seat, because he is asked first. There are no metrics of it.
//
// Upstream: apiserver/pkg/util/flowcontrol; apiserver/pkg/apis/flowcontrol/bootstrap/default.go, from which bootstrap.json was made, and
// pkg/registry/flowcontrol/rest, which stores them.
package flowcontrol

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"kubewalk/playground/api"
	"kubewalk/playground/api/flowcontrolv1"
	"kubewalk/playground/api/metav1"
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

// Bootstrap are all of them, as they are when they have been there for a moment: each FlowSchema's priority level exists.
func Bootstrap(now metav1.Time) (out []api.Object) {
	all := read()
	for _, group := range []Objects{all.Suggested, all.Mandatory} {
		for i := range group.PriorityLevelConfigurations {
			out = append(out, &group.PriorityLevelConfigurations[i])
		}
		for i := range group.FlowSchemas {
			s := &group.FlowSchemas[i]
			s.Status.Conditions = []flowcontrolv1.FlowSchemaCondition{Dangling(s, true)}
			s.Status.Conditions[0].LastTransitionTime = now
			out = append(out, s)
		}
	}
	return out
}

// Dangling is the condition of a FlowSchema whose priority level exists or does not, without a time.
// Upstream: apf_controller.go, presyncFlowSchemaStatus.
func Dangling(s *flowcontrolv1.FlowSchema, exists bool) flowcontrolv1.FlowSchemaCondition {
	about := fmt.Sprintf("This FlowSchema references the PriorityLevelConfiguration object named %q ", s.Spec.PriorityLevelConfiguration.Name)
	if exists {
		return flowcontrolv1.FlowSchemaCondition{Type: flowcontrolv1.FlowSchemaConditionDangling, Status: flowcontrolv1.ConditionFalse, Reason: "Found",
			Message: about + "and it exists"}
	}
	return flowcontrolv1.FlowSchemaCondition{Type: flowcontrolv1.FlowSchemaConditionDangling, Status: flowcontrolv1.ConditionTrue, Reason: "NotFound",
		Message: about + "but there is no such object"}
}
