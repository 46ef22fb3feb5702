package status

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
)

// mergePodStatus puts the kubelet's status over the server's, and keeps what
// is not the kubelet's. Upstream: mergePodStatus.
func mergePodStatus(old, status *corev1.PodStatus, couldHaveRunningContainers bool, now metav1.Time) *corev1.PodStatus {
	out := status.DeepCopy()
	var conditions []corev1.PodCondition
	for _, c := range old.Conditions {
		if !ConditionByKubelet(c.Type) {
			conditions = append(conditions, c)
		}
	}
	for _, c := range status.Conditions {
		switch {
		case ConditionByKubelet(c.Type):
			conditions = append(conditions, c)
		case ConditionSharedByKubelet(c.Type):
			if FindCondition(conditions, c.Type) != nil {
				*FindCondition(conditions, c.Type) = c
				continue
			}
			// It says that the Pod fails: not before it does.
			if !couldHaveRunningContainers || isTerminal(old.Phase) {
				conditions = append(conditions, c)
			}
		}
	}
	out.Conditions = conditions
	out.NominatedNodeName = old.NominatedNodeName
	out.ResourceClaimStatuses = old.ResourceClaimStatuses
	if !isTerminal(old.Phase) && isTerminal(out.Phase) && couldHaveRunningContainers {
		// Terminal is final: others may act on it, so it waits for the containers.
		out.Phase, out.Reason, out.Message = old.Phase, old.Reason, old.Message
	}
	if isTerminal(out.Phase) {
		reason := PodCompleted
		if out.Phase == corev1.PodFailed {
			reason = PodFailed
		}
		for i := range out.Conditions {
			c := &out.Conditions[i]
			if c.Type != corev1.PodReady && c.Type != corev1.ContainersReady {
				continue
			}
			if c.Status != corev1.ConditionFalse {
				c.LastTransitionTime = now.Rfc3339Copy()
			}
			c.Status, c.Reason, c.Message = corev1.ConditionFalse, reason, ""
		}
	}
	return out
}

// mergePatch is the smallest JSON merge patch of a Pod's status, by the
// status' fields, with the UID so that it can't hit another Pod of that name.
func mergePatch(uid types.UID, old, status *corev1.PodStatus) (patch []byte, changed bool) {
	diff := map[string]json.RawMessage{}
	before, after := reflect.ValueOf(old).Elem(), reflect.ValueOf(status).Elem()
	for i := range before.NumField() {
		// Nearly all is as it was: only what may differ is made JSON of.
		if reflect.DeepEqual(before.Field(i).Interface(), after.Field(i).Interface()) {
			continue
		}
		name, options, _ := strings.Cut(before.Type().Field(i).Tag.Get("json"), ",")
		was, is := encode(before.Field(i), options), encode(after.Field(i), options)
		if !bytes.Equal(was, is) {
			diff[name] = is
		}
	}
	if len(diff) == 0 {
		return nil, false
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"uid": uid}, "status": diff})
	if err != nil {
		panic("kubelet: a patch can't be encoded: " + err.Error())
	}
	return patch, true
}

// encode makes JSON of a field; null if it is to be left out.
func encode(v reflect.Value, options string) json.RawMessage {
	if options == "omitempty" && (v.IsZero() || (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.Len() == 0) {
		return json.RawMessage("null")
	}
	b, err := json.Marshal(v.Interface())
	if err != nil {
		panic("kubelet: a Pod's status can't be encoded: " + err.Error())
	}
	return b
}
