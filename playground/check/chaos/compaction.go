package chaos

import (
	"time"

	"kubewalk/playground/cluster"
)

func init() {
	register(&ingredient{name: "compaction", prepare: (*dice).compacting, act: (*dice).compaction})
}

// compacting drops etcd's history every few seconds instead of every five minutes.
func (d *dice) compacting(cfg *cluster.Config) {
	cfg.CompactionInterval = d.Between(time.Second, 4*time.Second)
	d.someReplicas(cfg)
}

// compaction has somebody be away while history is dropped, or begin anew after that: they list again, or are told that
// what they ask for is too old. An API server that starts has a cache of now, and nothing of before.
func (d *dice) compaction(at time.Duration) {
	switch d.IntN(4) {
	case 0:
		d.toggle(at, cluster.APIServer, cluster.Input{Kind: cluster.Stop, Component: cluster.APIServer},
			cluster.Input{Kind: cluster.Start, Component: cluster.APIServer})
	case 1:
		c := d.component()
		if c == cluster.APIServer {
			c = cluster.Scheduler
		}
		d.toggle(at, "cut "+c, cluster.Input{Kind: cluster.Partition, Component: c},
			cluster.Input{Kind: cluster.Heal, Component: c, Value: string(cluster.Partition)})
	case 2:
		d.add(cluster.Input{At: at, Kind: cluster.DropWatch, Component: d.component()})
	default:
		d.add(cluster.Input{At: at, Kind: cluster.Delete, Resource: "pods", Namespace: "default", Name: "steady-*"})
	}
}
