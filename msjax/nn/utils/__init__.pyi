from msjax.nn.utils.init import no_init_parameters as no_init_parameters
