package csi

import "time"

// The methods that are called here, by service. Upstream: csi.proto.
const (
	GetPluginInfo = "/csi.v1.Identity/GetPluginInfo"
	Probe         = "/csi.v1.Identity/Probe"

	CreateVolume              = "/csi.v1.Controller/CreateVolume"
	DeleteVolume              = "/csi.v1.Controller/DeleteVolume"
	ControllerPublishVolume   = "/csi.v1.Controller/ControllerPublishVolume"
	ControllerUnpublishVolume = "/csi.v1.Controller/ControllerUnpublishVolume"
	ControllerExpandVolume    = "/csi.v1.Controller/ControllerExpandVolume"
	CreateSnapshot            = "/csi.v1.Controller/CreateSnapshot"
	DeleteSnapshot            = "/csi.v1.Controller/DeleteSnapshot"

	NodeGetInfo         = "/csi.v1.Node/NodeGetInfo"
	NodeStageVolume     = "/csi.v1.Node/NodeStageVolume"
	NodePublishVolume   = "/csi.v1.Node/NodePublishVolume"
	NodeUnpublishVolume = "/csi.v1.Node/NodeUnpublishVolume"
	NodeUnstageVolume   = "/csi.v1.Node/NodeUnstageVolume"
	NodeExpandVolume    = "/csi.v1.Node/NodeExpandVolume"

	// Those of the kubelet's plugin registration. Upstream: k8s.io/kubelet/pkg/apis/pluginregistration/v1, api.proto.
	GetInfo                  = "/pluginregistration.Registration/GetInfo"
	NotifyRegistrationStatus = "/pluginregistration.Registration/NotifyRegistrationStatus"
)

// Request is what one of them is asked: each has the fields that csi.proto gives it.
type Request struct {
	Name              string // CreateVolume, CreateSnapshot: by which a driver knows again what it has made
	RequiredBytes     int64
	VolumeID          string
	NodeID            string
	StagingTargetPath string
	TargetPath        string
	SourceVolumeID    string // CreateSnapshot
	SnapshotID        string // DeleteSnapshot; CreateVolume: volume_content_source

	PluginRegistered bool // NotifyRegistrationStatus
	Error            string
}

// Response is what it answers.
type Response struct {
	Name                  string // GetPluginInfo, GetInfo: the driver's
	Ready                 bool
	VolumeID              string
	SnapshotID            string
	SizeBytes             int64     // CreateSnapshot: what a volume made of it has at least
	CreationTime          time.Time // CreateSnapshot
	ReadyToUse            bool      // CreateSnapshot: volumes can be made of it
	CapacityBytes         int64
	NodeID                string
	MaxVolumesPerNode     int64
	PublishContext        map[string]string
	NodeExpansionRequired bool
	Endpoint              string // GetInfo: where the driver listens on the machine
}

// log is what a line of the trace says of it.
func (r *Request) log() (kv []any) {
	for _, f := range []struct{ key, value string }{
		{"name", r.Name}, {"volumeID", r.VolumeID}, {"nodeID", r.NodeID}, {"stagingTargetPath", r.StagingTargetPath}, {"targetPath", r.TargetPath},
		{"sourceVolumeID", r.SourceVolumeID}, {"snapshotID", r.SnapshotID}, {"error", r.Error},
	} {
		if f.value != "" {
			kv = append(kv, f.key, f.value)
		}
	}
	if r.RequiredBytes > 0 {
		kv = append(kv, "requiredBytes", r.RequiredBytes)
	}
	return kv
}

func (r *Response) log() (kv []any) {
	for _, f := range []struct{ key, value string }{{"name", r.Name}, {"volumeID", r.VolumeID}, {"nodeID", r.NodeID}, {"endpoint", r.Endpoint},
		{"snapshotID", r.SnapshotID}} {
		if f.value != "" {
			kv = append(kv, f.key, f.value)
		}
	}
	if r.CapacityBytes > 0 {
		kv = append(kv, "capacityBytes", r.CapacityBytes)
	}
	if r.SnapshotID != "" {
		kv = append(kv, "sizeBytes", r.SizeBytes, "readyToUse", r.ReadyToUse)
	}
	if r.MaxVolumesPerNode > 0 {
		kv = append(kv, "maxVolumesPerNode", r.MaxVolumesPerNode)
	}
	return kv
}
