from msjax.nn.wrap.data_wrappers import MicroBatchInterleaved as MicroBatchInterleaved
from msjax.nn.wrap.data_wrappers import PipelineCell as PipelineCell
from msjax.nn.wrap.micro_batches import GradAccumulation as GradAccumulation
from msjax.nn.wrap.micro_batches import Pipeline as Pipeline
from msjax.nn.wrap.micro_batches import PipelineGradReducer as PipelineGradReducer
