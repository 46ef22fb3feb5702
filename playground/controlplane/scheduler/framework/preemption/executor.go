package preemption

import (
	"fmt"

	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/controlplane/scheduler/podstatus"
	"kubewalk/playground/sim"
)

// Executor evicts. Upstream: framework/preemption/executor.go, Executor.
type Executor struct {
	handle framework.Handle
	pods   listers.PodLister
	// preempting holds the Pods for which somebody is being evicted.
	preempting map[types.UID]bool
	// lastVictims is, for each of those, the victim that is evicted last.
	lastVictims map[types.UID]*corev1.Pod
}

// NewExecutor evicts nobody until it is told to.
func NewExecutor(h framework.Handle) *Executor {
	return &Executor{
		handle:      h,
		pods:        h.SharedInformerFactory().Core().V1().Pods().Lister(),
		preempting:  map[types.UID]bool{},
		lastVictims: map[types.UID]*corev1.Pod{},
	}
}

// IsPodRunningPreemption tells whether victims of the Pod are still to be told.
// From the moment in which the last one's end is known, the Pod may be tried again.
func (e *Executor) IsPodRunningPreemption(uid types.UID) bool {
	if !e.preempting[uid] {
		return false
	}
	last := e.lastVictims[uid]
	if last == nil {
		return true
	}
	victim, err := e.pods.Pods(last.Namespace).Get(last.Name)
	return err == nil && victim.DeletionTimestamp == nil
}

// prepareCandidateAsync evicts the victims in a process of its own. Those that
// are on their way out already are left alone.
func (e *Executor) prepareCandidateAsync(p *sim.Proc, c *Candidate, preemptor *corev1.Pod, pluginName string) {
	var victims []*corev1.Pod
	for _, v := range c.Victims {
		if v.DeletionTimestamp != nil {
			p.Logger().V(2).Info("Victim Pod is already being deleted, skipping the API call for it", "preemptor", framework.Key(preemptor),
				"node", c.Name, "victim", framework.Key(v))
			continue
		}
		victims = append(victims, v)
	}
	if len(victims) == 0 {
		return
	}
	e.preempting[preemptor.UID] = true
	e.handle.Component().Go("preemption/"+framework.Key(preemptor), func(p *sim.Proc) {
		ok := e.prepareCandidate(p, c, victims, preemptor, pluginName)
		delete(e.preempting, preemptor.UID)
		delete(e.lastVictims, preemptor.UID)
		result := "success"
		if !ok {
			// Nothing may happen in the cluster now that would wake the Pod.
			result = "error"
			e.handle.Activate(preemptor)
		}
		p.Logger().V(2).Info("Async Preemption finished completely", "preemptor", framework.Key(preemptor), "node", c.Name, "result", result)
	})
}

func (e *Executor) prepareCandidate(p *sim.Proc, c *Candidate, victims []*corev1.Pod, preemptor *corev1.Pod, pluginName string) (ok bool) {
	p.Logger().V(2).Info("Start the preemption asynchronously", "preemptor", framework.Key(preemptor), "node", c.Name,
		"numVictims", len(c.Victims), "numVictimsToDelete", len(victims))
	ok = true
	// Pods of lower priority that were promised a place there may have to look elsewhere.
	for _, pi := range e.handle.NominatedPodsForNode(c.Name) {
		if framework.PodPriority(pi.Pod) >= framework.PodPriority(preemptor) {
			continue
		}
		clear := &framework.NominatingInfo{NominatingMode: framework.ModeOverride}
		if err := podstatus.Patch(p, e.handle.ClientSet(), pi.Pod, nil, clear, nil); err != nil {
			p.Logger().Error(err, "Cannot clear 'NominatedNodeName' field from lower priority pods on the same target node", "node", c.Name)
			ok = false
		}
	}
	last := victims[len(victims)-1]
	failed := false
	p.Fork("preemption/"+framework.Key(preemptor), len(victims)-1, func(p *sim.Proc, i int) {
		if err := e.preemptPod(p, c, preemptor, victims[i], pluginName); err != nil {
			p.Logger().Error(err, "Error occurred during async preemption")
			failed = true
		}
	})
	if failed {
		return false
	}
	e.lastVictims[preemptor.UID] = last
	if err := e.preemptPod(p, c, preemptor, last, pluginName); err != nil {
		p.Logger().Error(err, "Error occurred during async preemption of the last victim")
		return false
	}
	return ok
}

// preemptPod takes one victim's place: by a word if it is not bound yet, else by
// deleting it. Its condition says why, for who counts disruptions.
func (e *Executor) preemptPod(p *sim.Proc, c *Candidate, preemptor, victim *corev1.Pod, pluginName string) error {
	note := fmt.Sprintf("Preempted by pod %v on node %v", preemptor.UID, c.Name)
	inMemory := false
	if waiting := e.handle.GetWaitingPod(victim.UID); waiting != nil {
		if inMemory = waiting.Preempt(pluginName, "preempted"); inMemory {
			p.Logger().V(2).Info("Preemptor preempted a waiting pod", "preemptorType", "pod", "preemptor", framework.Key(preemptor),
				"waitingPod", framework.Key(victim), "node", c.Name)
		}
	} else if binding := e.handle.GetPodInPreBind(victim.UID); binding != nil {
		if inMemory = binding.CancelPod("preempted by " + pluginName); inMemory {
			p.Logger().V(2).Info("Preemptor rejected a pod in preBind", "preemptorType", "pod", "preemptor", framework.Key(preemptor),
				"podInPreBind", framework.Key(victim), "node", c.Name)
		}
	}
	if inMemory {
		note += " (in kube-scheduler memory)."
	} else if gone, err := e.evict(p, preemptor, victim); err != nil {
		return err
	} else if gone {
		p.Logger().V(2).Info("Victim Pod is already deleted", "preemptor", framework.Key(preemptor), "victim", framework.Key(victim), "node", c.Name)
		return nil
	} else {
		p.Logger().V(2).Info("Preemptor Pod preempted victim Pod", "preemptor", framework.Key(preemptor), "victim", framework.Key(victim), "node", c.Name)
	}
	e.handle.EventRecorder().Eventf(victim, preemptor, corev1.EventTypeNormal, "Preempted", "Preempting", "%s", note)
	return nil
}

func (e *Executor) evict(p *sim.Proc, preemptor, victim *corev1.Pod) (gone bool, err error) {
	err = podstatus.Patch(p, e.handle.ClientSet(), victim, &corev1.PodCondition{
		Type:               corev1.DisruptionTarget,
		ObservedGeneration: victim.Generation,
		Status:             corev1.ConditionTrue,
		Reason:             corev1.PodReasonPreemptionByScheduler,
		Message:            preemptor.Spec.SchedulerName + ": preempting to accommodate a higher priority pod",
	}, nil, nil)
	if err != nil && !apierrors.IsNotFound(err) {
		p.Logger().Error(err, "Could not add DisruptionTarget condition due to preemption", "preemptor", framework.Key(preemptor), "victim",
			framework.Key(victim))
		return false, err
	}
	if err == nil {
		err = e.handle.ClientSet().CoreV1().Pods(victim.Namespace).Delete(p, victim.Name, metav1.DeleteOptions{})
	}
	if err != nil && !apierrors.IsNotFound(err) {
		p.Logger().Error(err, "Tried to preempted pod", "pod", framework.Key(victim), "preemptor", framework.Key(preemptor))
		return false, err
	}
	return err != nil, nil
}
