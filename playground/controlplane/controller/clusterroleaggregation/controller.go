// Package clusterroleaggregation fills in the ClusterRoles that say which others they consist of: view, edit and admin, and those of users.
//
// Upstream: pkg/controller/clusterroleaggregation.
package clusterroleaggregation

import (
	"encoding/json"
	"slices"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apierrors"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/rbacv1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/cache"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/client/listers"
	"kubewalk/playground/controlplane/controller"
	"kubewalk/playground/controlplane/workqueue"
	"kubewalk/playground/sim"
)

// Name is the controller's component, and the manager of the fields that it applies.
const Name = "clusterrole-aggregation-controller"

// Controller keeps the rules of aggregated ClusterRoles.
type Controller struct {
	component *sim.Component
	client    *client.Clientset
	lister    listers.ClusterRoleLister
	synced    cache.InformerSynced
	queue     workqueue.TypedRateLimitingInterface[string]
}

// NewClusterRoleAggregation makes a controller of a component. The informer is not started here.
func NewClusterRoleAggregation(c *sim.Component, roles informers.ClusterRoleInformer, cl *client.Clientset) *Controller {
	r := &Controller{component: c, client: cl, lister: roles.Lister(), synced: roles.Informer().HasSynced,
		queue: workqueue.NewTypedRateLimitingQueueWithConfig(c, workqueue.DefaultTypedControllerRateLimiter[string](c),
			workqueue.TypedRateLimitingQueueConfig[string]{Name: "ClusterRoleAggregator"})}
	roles.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { r.enqueue() },
		UpdateFunc: func(_, _ any) { r.enqueue() },
		DeleteFunc: func(any) { r.enqueue() },
	})
	return r
}

// enqueue queues every role that is aggregated: which of them a change concerns, nobody knows beforehand.
func (c *Controller) enqueue() {
	roles, err := c.lister.List(labels.Everything())
	if err != nil {
		return // it is a selector that every cache takes
	}
	for _, role := range roles {
		if role.AggregationRule != nil {
			c.queue.Add(role.Name)
		}
	}
}

// Run works once the cache holds the cluster's roles.
func (c *Controller) Run(p *sim.Proc, workers int) {
	p.Logger().Info("Starting ClusterRoleAggregator controller")
	cache.WaitForCacheSync(p, c.synced)
	for range workers {
		c.component.Go("worker", func(p *sim.Proc) {
			for {
				key, quit := c.queue.Get(p)
				if quit {
					return
				}
				if err := c.syncClusterRole(p, key); err != nil {
					controller.HandleError(p.Logger(), err, "Aggregating a ClusterRole failed", "clusterRole", key)
					c.queue.AddRateLimited(key)
				} else {
					c.queue.Forget(key)
				}
				c.queue.Done(key)
			}
		})
	}
}

func (c *Controller) syncClusterRole(p *sim.Proc, name string) error {
	role, err := c.lister.Get(name)
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil || role.AggregationRule == nil {
		return err
	}
	rules := []rbacv1.PolicyRule{}
	for i := range role.AggregationRule.ClusterRoleSelectors {
		selector, err := labels.LabelSelectorAsSelector(&role.AggregationRule.ClusterRoleSelectors[i])
		if err != nil {
			return err
		}
		others, err := c.lister.List(selector) // by name
		if err != nil {
			return err
		}
		for _, other := range others {
			if other.Name == role.Name {
				continue
			}
			for _, rule := range other.Rules {
				if !slices.ContainsFunc(rules, func(have rbacv1.PolicyRule) bool { return api.SemanticDeepEqual(have, rule) }) {
					rules = append(rules, rule)
				}
			}
		}
	}
	if api.SemanticDeepEqual(rules, role.Rules) {
		return nil
	}
	p.Logger().V(4).Info("Aggregating a ClusterRole", "clusterRole", name, "rules", len(rules))
	return c.apply(p, name, rules)
}

// apply is a server-side apply of the rules alone.
func (c *Controller) apply(p *sim.Proc, name string, rules []rbacv1.PolicyRule) error {
	wanted := &rbacv1.ClusterRole{Rules: rules}
	wanted.Name = name
	api.SetKind(wanted)
	body, err := json.Marshal(wanted)
	if err != nil {
		return err
	}
	force := true
	_, err = c.client.RbacV1().ClusterRoles().Patch(p, name, types.ApplyPatchType, body, metav1.PatchOptions{FieldManager: Name, Force: &force})
	return err
}
