/** Volumes, claims and their many sources. Notation: see ../type-table.ts. */
export const coreVolumeTypes = `
package io.k8s.api.core.v1 v1
AWSElasticBlockStoreVolumeSource: fsType string; partition int32; readOnly boolean; volumeID! string
AzureDiskVolumeSource: cachingMode *string; diskName! string; diskURI! string; fsType *string; kind *string; readOnly *boolean
AzureFilePersistentVolumeSource: readOnly boolean; secretName! string; secretNamespace *string; shareName! string
AzureFileVolumeSource: readOnly boolean; secretName! string; shareName! string
CSIPersistentVolumeSource: controllerExpandSecretRef SecretReference; controllerPublishSecretRef SecretReference; driver! string;
  fsType string; nodeExpandSecretRef SecretReference; nodePublishSecretRef SecretReference; nodeStageSecretRef SecretReference;
  readOnly boolean; volumeAttributes {}string; volumeHandle! string
CSIVolumeSource: driver! string; fsType *string; nodePublishSecretRef LocalObjectReference; readOnly *boolean; volumeAttributes {}string
CephFSPersistentVolumeSource: monitors! []string; path string; readOnly boolean; secretFile string; secretRef SecretReference;
  user string
CephFSVolumeSource: monitors! []string; path string; readOnly boolean; secretFile string; secretRef LocalObjectReference; user string
CinderPersistentVolumeSource: fsType string; readOnly boolean; secretRef SecretReference; volumeID! string
CinderVolumeSource: fsType string; readOnly boolean; secretRef LocalObjectReference; volumeID! string
ClusterTrustBundleProjection: labelSelector LabelSelector; name *string; optional *boolean; path! string; signerName *string
ConfigMapProjection: items []KeyToPath; name string; optional *boolean
ConfigMapVolumeSource: defaultMode *int32; items []KeyToPath; name string; optional *boolean
DownwardAPIProjection: items []DownwardAPIVolumeFile
DownwardAPIVolumeFile: fieldRef ObjectFieldSelector; mode *int32; path! string; resourceFieldRef ResourceFieldSelector
DownwardAPIVolumeSource: defaultMode *int32; items []DownwardAPIVolumeFile
EmptyDirVolumeSource: medium string; sizeLimit quantity
EphemeralVolumeSource: volumeClaimTemplate PersistentVolumeClaimTemplate
FCVolumeSource: fsType string; lun *int32; readOnly boolean; targetWWNs []string; wwids []string
FlexPersistentVolumeSource: driver! string; fsType string; options {}string; readOnly boolean; secretRef SecretReference
FlexVolumeSource: driver! string; fsType string; options {}string; readOnly boolean; secretRef LocalObjectReference
FlockerVolumeSource: datasetName string; datasetUUID string
GCEPersistentDiskVolumeSource: fsType string; partition int32; pdName! string; readOnly boolean
GitRepoVolumeSource: directory string; repository! string; revision string
GlusterfsPersistentVolumeSource: endpoints! string; endpointsNamespace *string; path! string; readOnly boolean
GlusterfsVolumeSource: endpoints! string; path! string; readOnly boolean
HostPathVolumeSource: path! string; type *string
ISCSIPersistentVolumeSource: chapAuthDiscovery boolean; chapAuthSession boolean; fsType string; initiatorName *string; iqn! string;
  iscsiInterface string; lun! int32; portals []string; readOnly boolean; secretRef SecretReference; targetPortal! string
ISCSIVolumeSource: chapAuthDiscovery boolean; chapAuthSession boolean; fsType string; initiatorName *string; iqn! string;
  iscsiInterface string; lun! int32; portals []string; readOnly boolean; secretRef LocalObjectReference; targetPortal! string
ImageVolumeSource: pullPolicy string; reference string
KeyToPath: key! string; mode *int32; path! string
LocalVolumeSource: fsType *string; path! string
NFSVolumeSource: path! string; readOnly boolean; server! string
ObjectFieldSelector atomic: apiVersion string; fieldPath! string
PersistentVolume kind: metadata ObjectMeta; spec PersistentVolumeSpec; status PersistentVolumeStatus
PersistentVolumeClaimSpec: accessModes []string; dataSource TypedLocalObjectReference; dataSourceRef TypedObjectReference;
  resources VolumeResourceRequirements; selector LabelSelector; storageClassName *string; volumeAttributesClassName *string;
  volumeMode *string; volumeName string
PersistentVolumeClaimTemplate: metadata ObjectMeta; spec! PersistentVolumeClaimSpec
PersistentVolumeClaimVolumeSource: claimName! string; readOnly boolean
PersistentVolumeSpec: accessModes []string; awsElasticBlockStore AWSElasticBlockStoreVolumeSource; azureDisk AzureDiskVolumeSource;
  azureFile AzureFilePersistentVolumeSource; capacity {}quantity; cephfs CephFSPersistentVolumeSource;
  cinder CinderPersistentVolumeSource; claimRef ObjectReference; csi CSIPersistentVolumeSource; fc FCVolumeSource;
  flexVolume FlexPersistentVolumeSource; flocker FlockerVolumeSource; gcePersistentDisk GCEPersistentDiskVolumeSource;
  glusterfs GlusterfsPersistentVolumeSource; hostPath HostPathVolumeSource; iscsi ISCSIPersistentVolumeSource; local LocalVolumeSource;
  mountOptions []string; nfs NFSVolumeSource; nodeAffinity VolumeNodeAffinity; persistentVolumeReclaimPolicy string;
  photonPersistentDisk PhotonPersistentDiskVolumeSource; portworxVolume PortworxVolumeSource; quobyte QuobyteVolumeSource;
  rbd RBDPersistentVolumeSource; scaleIO ScaleIOPersistentVolumeSource; storageClassName string;
  storageos StorageOSPersistentVolumeSource; volumeAttributesClassName *string; volumeMode *string;
  vsphereVolume VsphereVirtualDiskVolumeSource
PersistentVolumeStatus: lastPhaseTransitionTime date-time; message string; phase string; reason string
PhotonPersistentDiskVolumeSource: fsType string; pdID! string
PodCertificateProjection: certificateChainPath string; credentialBundlePath string; keyPath string; keyType! string;
  maxExpirationSeconds *int32; signerName! string; userAnnotations {}string
PortworxVolumeSource: fsType string; readOnly boolean; volumeID! string
ProjectedVolumeSource: defaultMode *int32; sources []VolumeProjection
QuobyteVolumeSource: group string; readOnly boolean; registry! string; tenant string; user string; volume! string
RBDPersistentVolumeSource: fsType string; image! string; keyring string; monitors! []string; pool string; readOnly boolean;
  secretRef SecretReference; user string
RBDVolumeSource: fsType string; image! string; keyring string; monitors! []string; pool string; readOnly boolean;
  secretRef LocalObjectReference; user string
ResourceFieldSelector atomic: containerName string; divisor quantity; resource! string
ScaleIOPersistentVolumeSource: fsType string; gateway! string; protectionDomain string; readOnly boolean; secretRef! SecretReference;
  sslEnabled boolean; storageMode string; storagePool string; system! string; volumeName string
ScaleIOVolumeSource: fsType string; gateway! string; protectionDomain string; readOnly boolean; secretRef! LocalObjectReference;
  sslEnabled boolean; storageMode string; storagePool string; system! string; volumeName string
SecretProjection: items []KeyToPath; name string; optional *boolean
SecretVolumeSource: defaultMode *int32; items []KeyToPath; optional *boolean; secretName string
ServiceAccountTokenProjection: audience string; expirationSeconds *int64; path! string
StorageOSPersistentVolumeSource: fsType string; readOnly boolean; secretRef ObjectReference; volumeName string; volumeNamespace string
StorageOSVolumeSource: fsType string; readOnly boolean; secretRef LocalObjectReference; volumeName string; volumeNamespace string
Volume: awsElasticBlockStore AWSElasticBlockStoreVolumeSource; azureDisk AzureDiskVolumeSource; azureFile AzureFileVolumeSource;
  cephfs CephFSVolumeSource; cinder CinderVolumeSource; configMap ConfigMapVolumeSource; csi CSIVolumeSource;
  downwardAPI DownwardAPIVolumeSource; emptyDir EmptyDirVolumeSource; ephemeral EphemeralVolumeSource; fc FCVolumeSource;
  flexVolume FlexVolumeSource; flocker FlockerVolumeSource; gcePersistentDisk GCEPersistentDiskVolumeSource;
  gitRepo GitRepoVolumeSource; glusterfs GlusterfsVolumeSource; hostPath HostPathVolumeSource; image ImageVolumeSource;
  iscsi ISCSIVolumeSource; name! string; nfs NFSVolumeSource; persistentVolumeClaim PersistentVolumeClaimVolumeSource;
  photonPersistentDisk PhotonPersistentDiskVolumeSource; portworxVolume PortworxVolumeSource; projected ProjectedVolumeSource;
  quobyte QuobyteVolumeSource; rbd RBDVolumeSource; scaleIO ScaleIOVolumeSource; secret SecretVolumeSource;
  storageos StorageOSVolumeSource; vsphereVolume VsphereVirtualDiskVolumeSource
VolumeNodeAffinity: required NodeSelector
VolumeProjection: clusterTrustBundle ClusterTrustBundleProjection; configMap ConfigMapProjection; downwardAPI DownwardAPIProjection;
  podCertificate PodCertificateProjection; secret SecretProjection; serviceAccountToken ServiceAccountTokenProjection
VsphereVirtualDiskVolumeSource: fsType string; storagePolicyID string; storagePolicyName string; volumePath! string
`;
