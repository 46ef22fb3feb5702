package admission

import (
	"fmt"

	"kubewalk/playground/sim"
)

// runtimeClass refuses Pods that name a RuntimeClass: the kind is not served, so there is none.
// Upstream: plugin/pkg/admission/runtimeclass/admission.go, RuntimeClass.
type runtimeClass struct{}

func (runtimeClass) Name() string { return "RuntimeClass" }

func (runtimeClass) Admit(_ *sim.Proc, a *Attributes) error {
	if pod := a.creating(); pod != nil && pod.Spec.RuntimeClassName != nil {
		return a.forbidden(fmt.Errorf("pod rejected: RuntimeClass %q not found", *pod.Spec.RuntimeClassName))
	}
	return nil
}
