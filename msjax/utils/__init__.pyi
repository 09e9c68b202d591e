from msjax.core.dispatching import MsDispatchMode as MsDispatchMode
from msjax.core.exchange import from_dlpack as from_dlpack
from msjax.core.exchange import to_dlpack as to_dlpack
from msjax.tools.detection import get_sdc_detect_result as get_sdc_detect_result
from msjax.tools.detection import sdc_detect_start as sdc_detect_start
from msjax.tools.detection import sdc_detect_stop as sdc_detect_stop
from msjax.utils import dryrun as dryrun
